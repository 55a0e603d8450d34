import { edit } from '../editor/editor.ts';
import type { VimState, VimStep } from '../editor/vim-state.ts';
import type { FocusState, FocusWorld } from './focus-state.ts';

/** What a key of vim has done with the state, and what the keys of the terminal do next. */
export interface VimFocusStep {
  state: FocusState;
  after: VimStep['after'];
}

/** Whether typed characters are keys of vim, and not text. */
export function takesLetters(state: FocusState, { vim }: Pick<FocusWorld, 'vim'>): boolean {
  return vim !== null && state.focus === 'editor' && state.vim.mode !== 'insert';
}

/** Keys with an action that vim has another meaning for. */
const SHARED = new Set(['chat:cancel', 'history:search', 'history:previous', 'history:next']);

/** Null where the key is not one of vim's: then it has its usual meaning. */
export function takeVimKey(
  state: FocusState,
  key: string,
  action: string | null,
  world: Pick<FocusWorld, 'vim' | 'view'>,
): VimFocusStep | null {
  // Ctrl+N, Ctrl+P and their like stay history's: vim has the arrows.
  const isTaken = action === null || (SHARED.has(action) && !/^ctrl\+[np]$/.test(key));
  const taken = isTaken ? world.vim?.take(state, key, world.view) : null;
  if (!taken) return null;
  const { editor, vim, after } = taken;
  const menu = editor.text === state.editor.text ? state.menu : { index: 0, closedFor: null };
  return { state: { ...state, editor, vim, menu, again: null }, after };
}

/** In normal mode the caret stands on a character: what comes from history ends on its last one. */
export function settledVim(state: FocusState, { vim }: Pick<FocusWorld, 'vim'>): FocusState {
  return vim ? { ...state, editor: vim.settle(state) } : state;
}

/** What is typed in insert mode is one change; without vim, changes are undone by words. */
export function withVimGroup(state: FocusState, { vim }: Pick<FocusWorld, 'vim'>): FocusState {
  const { group } = state.editor;
  if ((group !== 0) === (vim !== null)) return state;
  return { ...state, editor: { ...state.editor, group: vim ? 1 : 0 } };
}

/** A new prompt begins in insert mode. */
export function freshVim(vim: VimState): VimState {
  return { ...vim, mode: 'insert', pending: '', insertion: null };
}

/** Letters that the person has set leave insert mode, and are not text. */
export function afterTyping(
  state: FocusState,
  typed: string,
  { vim, view }: Pick<FocusWorld, 'vim' | 'view'>,
): FocusState {
  if (!vim || state.vim.mode !== 'insert') return state;
  const { text, caret } = state.editor;
  const last = typed.at(-1) ?? '';
  const typedOut = vim.escapes.find((each) => each.endsWith(last) && text.slice(0, caret).endsWith(each));
  if (typedOut === undefined) return state;
  const editor = edit(state.editor, { type: 'replace', from: caret - typedOut.length, to: caret, text: '' });
  const taken = vim.take({ editor, vim: state.vim }, 'escape', view);
  return taken ? { ...state, editor: taken.editor, vim: taken.vim } : state;
}
