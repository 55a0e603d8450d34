import { draftOf, type EditorAction, edit, isBeforePaste, promptOf, selectedText } from '../editor/editor.ts';
import type { InputEvent } from '../input/input-event.ts';
import { EDIT_KEYS } from './default-keys.ts';
import type { Again, Completion, FocusState, FocusStep, FocusWorld, Intent } from './focus-state.ts';
import { walkable } from './history-search.ts';
import { isWorking, meaningOfEscape, openMenu } from './meanings.ts';
import { freshVim, takeVimKey, type VimFocusStep } from './vim-focus.ts';

const AGAIN_MS: Readonly<Record<Again, number>> = { clear: 1500, escEsc: 1500, leave: 800, 'kill-agents': 3000 };

/** A key in the editor, with its action in the keymap. */
export function inEditor(
  state: FocusState,
  key: string,
  action: string | null,
  event: InputEvent,
  world: FocusWorld,
): FocusStep {
  const menu = openMenu(state, world);
  const vims = world.vim ? takeVimKey(state, key, action, world) : null;
  if (vims) return afterVim(vims, world);
  switch (action) {
    case 'autocomplete:accept':
      return menu ? step(taken(state, menu)) : step(state);
    case 'autocomplete:dismiss':
      return step({ ...state, menu: { index: 0, closedFor: state.editor.text } });
    case 'autocomplete:previous':
    case 'autocomplete:next':
      return step(inMenu(state, menu, action === 'autocomplete:next' ? 1 : -1));
    case 'chat:submit':
      return enter(state, menu, 'next');
    case 'chat:submitLater':
      return submit(state, 'later');
    case 'chat:newline':
      return step(edited(state, { type: 'type', text: '\n' }));
    case 'chat:undo':
      return step(edited(state, { type: 'undo' }));
    case 'chat:cancel':
      return onEscape(state, world);
    case 'chat:stash':
      return step(stashed(state));
    case 'chat:killAgents':
      return again(state, 'kill-agents', world, 'Again to stop all agents', (next) =>
        step(next, { type: 'act', action }),
      );
    case 'history:search':
      return step(searching(state));
    case 'history:previous':
    case 'history:next':
      return vertical(state, action === 'history:next' ? 1 : -1, world);
    case 'app:interrupt':
      return interrupt(state, world);
    case 'app:exit':
      return endOfInput(state, world);
    case 'app:question':
      return world.question ? step({ ...state, focus: 'question', hasLeftQuestion: false }) : step(state);
    case null:
      return unbound(state, key, event, world);
    default:
      return step({ ...state, again: null }, { type: 'act', action });
  }
}

/** What the keys of the terminal do after a key of vim: rows as they are seen and history, or the search. */
function afterVim({ state, after }: VimFocusStep, world: FocusWorld): FocusStep {
  if (after?.what === 'search') return step(searching(state));
  let next = step(state);
  for (let left = after?.times ?? 0; left > 0; left--) {
    const moved = vertical(next.state, after?.what === 'up' ? -1 : 1, world);
    if (moved.state.editor === next.state.editor) return moved;
    next = moved;
  }
  return next;
}

function searching(state: FocusState): FocusState {
  const search = { query: '', scope: 'project', index: 0, before: draftOf(state.editor) } as const;
  return { ...state, focus: 'search', again: null, search };
}

function unbound(state: FocusState, key: string, event: InputEvent, world: FocusWorld): FocusStep {
  if (event.type === 'text') return step(edited(state, { type: 'type', text: event.text }));
  if (key === 'tab')
    return world.question ? step({ ...state, focus: 'question', hasLeftQuestion: false }) : step(state);
  if (key === 'shift+up' || key === 'shift+down') {
    return step(edited(state, { type: 'move-row', by: key === 'shift+up' ? -1 : 1, view: world.view, extends: true }));
  }
  const change = EDIT_KEYS[key];
  return step(change ? edited(state, change) : { ...state, again: null });
}

/** Enter: a choice of the menu, a paste that unfolds, a line end after a backslash, or the prompt. */
function enter(state: FocusState, menu: Completion | null, priority: 'next' | 'later'): FocusStep {
  const item = menu?.items[state.menu.index];
  if (menu && item?.onEnter === 'take') return step(taken(state, menu));
  if (menu && item?.onEnter === 'run') {
    // What is run needs no room for an argument.
    const text = item.insert.trimEnd();
    return submit(edited(state, { type: 'replace', from: menu.from, to: menu.to, text }), priority);
  }
  const { editor } = state;
  if (isBeforePaste(editor)) return step(edited(state, { type: 'unfold' }));
  const slashes = /\\*$/.exec(editor.text.slice(0, editor.caret))?.[0].length ?? 0;
  if (slashes % 2 === 1 && editor.caret === editor.text.length) {
    return step(edited(state, { type: 'replace', from: editor.caret - 1, to: editor.caret, text: '\n' }));
  }
  return submit(state, priority);
}

function submit(state: FocusState, priority: 'next' | 'later'): FocusStep {
  const { text, images } = promptOf(state.editor);
  if (text.trim() === '' && images.length === 0) return step({ ...state, again: null });
  const draft = draftOf(state.editor);
  return step(cleared(state), { type: 'remember', draft }, { type: 'submit', text, images, priority });
}

function onEscape(state: FocusState, world: FocusWorld): FocusStep {
  const meaning = meaningOfEscape(state, world);
  if (meaning === 'interrupt') return step({ ...state, again: null }, { type: 'interrupt' });
  if (meaning === 'clear') {
    return again(state, 'clear', world, 'Escape again puts the draft into history', (next) =>
      step(cleared(next), { type: 'remember', draft: draftOf(state.editor) }),
    );
  }
  if (meaning !== 'tree' && meaning !== 'rewind') return step({ ...state, again: null });
  return again(
    state,
    'escEsc',
    world,
    `Escape again opens ${meaning === 'tree' ? 'the tree' : 'the list to rewind'}`,
    (next) => step(next, { type: 'act', action: `app:${meaning}` }),
  );
}

/** Ctrl+C: copies the selection, interrupts, puts the text into history, or leaves. */
function interrupt(state: FocusState, world: FocusWorld): FocusStep {
  const chosen = selectedText(state.editor);
  if (chosen !== '') return step({ ...state, again: null }, { type: 'copy', text: chosen });
  if (isWorking(world.phase)) return step({ ...state, again: null }, { type: 'interrupt' });
  if (state.editor.text !== '') return step(cleared(state), { type: 'remember', draft: draftOf(state.editor) });
  return again(state, 'leave', world, 'Ctrl+C again leaves', (next) => step(next, { type: 'leave' }));
}

/** Ctrl+D: deletes forward, or leaves. */
function endOfInput(state: FocusState, world: FocusWorld): FocusStep {
  if (state.editor.text !== '') return step(edited(state, { type: 'delete', to: 'right' }));
  return again(state, 'leave', world, 'Ctrl+D again leaves', (next) => step(next, { type: 'leave' }));
}

/** What acts only at the second press in a short time. */
function again(
  state: FocusState,
  what: Again,
  { now }: FocusWorld,
  hint: string,
  act: (next: FocusState) => FocusStep,
): FocusStep {
  const isSecond = state.again?.what === what && now - state.again.at <= AGAIN_MS[what];
  if (isSecond) return act({ ...state, again: null });
  return step({ ...state, again: { what, at: now } }, { type: 'notice', text: hint });
}

/** Up and down: by rows as seen, then the queue, then history. */
function vertical(state: FocusState, by: -1 | 1, world: FocusWorld): FocusStep {
  const moved = edit(state.editor, { type: 'move-row', by, view: world.view });
  if (moved !== state.editor) return step({ ...state, editor: moved, again: null });
  if (by < 0 && state.editor.text === '' && world.queued > 0 && !state.past) return step(state, { type: 'take-back' });
  const prompts = walkable(world);
  const index = (state.past?.index ?? -1) - by;
  if (index >= prompts.length || (index < 0 && !state.past)) return step({ ...state, again: null });
  const before = state.past?.before ?? draftOf(state.editor);
  const draft = index < 0 ? before : (prompts[prompts.length - 1 - index] ?? before);
  const editor = edit(state.editor, { type: 'set', text: draft.text, attachments: draft.attachments });
  return step({ ...state, editor, past: index < 0 ? null : { index, before }, again: null });
}

function stashed(state: FocusState): FocusState {
  const { editor, stash } = state;
  if (editor.text !== '') return { ...cleared(state), stash: draftOf(editor) };
  return stash ? { ...state, editor: edit(editor, { type: 'set', ...stash }), past: null, stash: null } : state;
}

function inMenu(state: FocusState, menu: Completion | null, by: -1 | 1): FocusState {
  const count = menu?.items.length ?? 0;
  return count === 0 ? state : { ...state, menu: { ...state.menu, index: (state.menu.index + by + count) % count } };
}

/** Puts the highlighted choice into the text. */
function taken(state: FocusState, menu: Completion): FocusState {
  const item = menu.items[state.menu.index] ?? menu.items[0];
  return item ? edited(state, { type: 'replace', from: menu.from, to: menu.to, text: item.insert }) : state;
}

/** The state after a change of the text; the menu starts again. */
export function edited(state: FocusState, action: EditorAction): FocusState {
  const editor = edit(state.editor, action);
  const menu = editor.text === state.editor.text ? state.menu : { index: 0, closedFor: null };
  return { ...state, editor, menu, again: null };
}

function cleared(state: FocusState): FocusState {
  return { ...edited(state, { type: 'clear' }), past: null, vim: freshVim(state.vim) };
}

function step(state: FocusState, ...intents: Intent[]): FocusStep {
  return { state, intents };
}
