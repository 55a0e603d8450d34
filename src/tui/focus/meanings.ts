import type { Completion, FocusState, FocusWorld } from './focus-state.ts';

/** What Escape would do now; null: nothing. One press has one meaning. */
export function meaningOfEscape(
  state: FocusState,
  world: Pick<FocusWorld, 'phase' | 'menu' | 'escEsc' | 'now' | 'vim'>,
): 'close the menu' | 'normal mode' | 'keep' | 'no' | 'close' | 'interrupt' | 'clear' | 'tree' | 'rewind' | null {
  if (state.focus === 'search') return 'keep';
  if (state.focus === 'question') return 'no';
  if (state.focus === 'picker' || state.focus === 'pager') return 'close';
  if (state.focus === 'external') return null;
  if (openMenu(state, world)) return 'close the menu';
  if (world.vim && (state.vim.mode !== 'normal' || state.vim.pending !== '')) return 'normal mode';
  if (isWorking(world.phase)) return 'interrupt';
  if (world.phase !== 'idle') return null;
  if (state.editor.text !== '') return 'clear';
  return world.escEsc === 'nothing' ? null : world.escEsc;
}

/** Whether a turn runs. */
export function isWorking(phase: FocusWorld['phase']): boolean {
  return phase === 'busy' || phase === 'asking' || phase === 'compacting';
}

/** The menu that is shown: not one that the user has closed for this text. */
export function openMenu(state: FocusState, { menu }: Pick<FocusWorld, 'menu'>): Completion | null {
  if (state.focus !== 'editor' || !menu || menu.items.length === 0) return null;
  return state.menu.closedFor === state.editor.text ? null : menu;
}
