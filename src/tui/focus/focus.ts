/**
 * From keys to intents, pure: `takeInput(state, event, world)` returns the next state and what the program has to do.
 *
 * For those who wire it:
 * - Hand every `InputEvent` but `focus` and `reply` to `takeInput`, with a `world` of the present moment. Do the
 *   intents in their order. `meaningOfEscape` (meanings.ts) is what the status row says.
 * - Call `settle` when a question opens or closes and 600 ms after the last key: it gives a question the keys, or takes
 *   them away.
 * - `giveBack` puts prompts that were taken back before the draft, `withDraft` a draft or an edited text into the
 *   editor, `withFocus` opens and closes pickers, the pager and other programs.
 * - Draw `state.editor` with `layOut`, `state.search` with `searchHistory`, `state.menu.index` in `world.menu`.
 */

import { cleanText } from '../editor/attachments.ts';
import { type Draft, edit } from '../editor/editor.ts';
import type { InputEvent } from '../input/input-event.ts';
import { type Context, EDIT_KEYS } from './default-keys.ts';
import { edited, inEditor } from './editor-keys.ts';
import type { Focus, FocusState, FocusStep, FocusWorld, Intent } from './focus-state.ts';
import { isWorking, openMenu } from './meanings.ts';
import { takeSearchInput } from './search-input.ts';
import { afterTyping, settledVim, takesLetters, withVimGroup } from './vim-focus.ts';

/** No key acts on a question in its first moments: it may have been meant for something else. */
const GUARD_MS = 300;
/** A question takes the keys only when none came for so long. */
const QUIET_MS = 600;
const CHORD_MS = 1000;

export function takeInput(before: FocusState, event: InputEvent, world: FocusWorld): FocusStep {
  if (event.type === 'focus' || event.type === 'reply') return { state: before, intents: [] };
  // A question that the screen does not show as open for keys does not get this one.
  const settled = world.question ? before : settle(before, world);
  const state = withVimGroup({ ...settled, lastKeyAt: world.now }, world);
  const taken = takeEvent(state, event, world);
  return { ...taken, state: settledVim(taken.state, world) };
}

function takeEvent(
  state: FocusState,
  event: Exclude<InputEvent, { type: 'focus' | 'reply' }>,
  world: FocusWorld,
): FocusStep {
  if (event.type === 'paste') return takePaste(state, event, world);
  if (event.type === 'key') return takeKey(state, event.key, event, world);
  return takeTyped(state, event.text, world);
}

/** Typed characters: text, or keys one by one where letters are keys. */
function takeTyped(before: FocusState, typed: string, world: FocusWorld): FocusStep {
  const intents: Intent[] = [];
  let state = before;
  let rest = typed;
  while (rest !== '') {
    const [first = ''] = rest;
    const isKey = takesKeysOf(state, world, state.chord ? first : rest);
    const key = first === ' ' && state.focus === 'question' ? 'space' : first;
    const taken = isKey ? takeKey(state, key, { type: 'text', text: first }, world) : takeText(state, rest, world);
    intents.push(...taken.intents);
    state = taken.state;
    rest = isKey ? rest.slice(first.length) : '';
  }
  return { state, intents };
}

/** Gives an open question the keys, or takes them away from one that is gone. */
export function settle(state: FocusState, { question, now }: Pick<FocusWorld, 'question' | 'now'>): FocusState {
  if (!question) {
    const focus = state.focus === 'question' ? 'editor' : state.focus;
    return focus === state.focus && !state.hasLeftQuestion ? state : { ...state, focus, hasLeftQuestion: false };
  }
  const mayEnter = state.focus === 'editor' && state.editor.text === '' && !state.hasLeftQuestion;
  return mayEnter && now - state.lastKeyAt >= QUIET_MS ? { ...state, focus: 'question' } : state;
}

export function withFocus(state: FocusState, focus: Focus): FocusState {
  return { ...state, focus, chord: null, again: null, search: null };
}

/** Puts a draft into the editor; what was there can be had back by undo. */
export function withDraft(state: FocusState, draft: Draft): FocusState {
  return { ...state, editor: edit(state.editor, { type: 'set', ...draft }), past: null };
}

/** Puts prompts that were taken back before the draft, joined by blank lines; the caret stays in the draft. */
export function giveBack(state: FocusState, prompts: readonly string[]): FocusState {
  const texts = prompts.filter((text) => text !== '');
  if (texts.length === 0) return state;
  const { editor } = state;
  const before = texts.join('\n\n') + (editor.text === '' ? '' : '\n\n');
  const behind = editor.text.length - editor.caret;
  const next = edit(editor, { type: 'replace', from: 0, to: 0, text: before });
  return { ...state, editor: { ...next, caret: next.text.length - behind }, past: null };
}

/** Whether a typed character is a key here: in the pager, in questions, in the tree, and `?` in an empty editor. */
function takesKeysOf(state: FocusState, world: FocusWorld, text: string): boolean {
  const { picker, question } = world;
  if (state.chord) return true;
  switch (state.focus) {
    case 'editor':
      return (state.editor.text === '' && text === '?') || takesLetters(state, world);
    case 'question':
      return question?.takesText !== true;
    case 'picker':
      return picker === 'Tree';
    case 'pager':
    case 'external':
      return true;
    case 'search':
      return false;
    default:
      return state.focus satisfies never;
  }
}

function takeText(state: FocusState, text: string, world: FocusWorld): FocusStep {
  if (state.focus === 'search') return takeSearchInput(state, { type: 'text', text }, world);
  if (state.focus === 'picker') return step(state, { type: 'pick', action: null, text });
  if (state.focus === 'question')
    return guarded(state, world, { type: 'answer', action: 'edit', edit: { type: 'type', text } });
  return step(afterTyping(edited(state, { type: 'type', text }), text, world));
}

/** A paste never answers, never sends, never completes. It is text, or it waits in the editor. */
function takePaste(
  state: FocusState,
  { text, isCut }: Extract<InputEvent, { type: 'paste' }>,
  world: FocusWorld,
): FocusStep {
  if (text === '') return step(state, { type: 'act', action: 'chat:imagePaste' });
  const cut: Intent[] = isCut ? [{ type: 'notice', text: 'The paste was too long: its end is not there' }] : [];
  const { dropped } = cleanText(text);
  const named: Intent[] =
    dropped.length === 0 ? [] : [{ type: 'notice', text: `Left out of the paste: ${dropped.slice(0, 8).join(' ')}` }];
  if (state.focus === 'search')
    return takeSearchInput(state, { type: 'text', text: cleanText(text).text.replaceAll('\n', ' ') }, world);
  if (state.focus === 'picker')
    return step(state, { type: 'pick', action: null, text: cleanText(text).text.replaceAll('\n', ' ') });
  if (state.focus === 'question' && world.question?.takesText && isReady(world)) {
    return step(state, { type: 'answer', action: 'edit', edit: { type: 'paste', text } }, ...cut, ...named);
  }
  return step(edited(state, { type: 'paste', text }), ...cut, ...named);
}

function takeKey(state: FocusState, key: string, event: InputEvent, world: FocusWorld): FocusStep {
  const isLate = state.chord !== null && world.now - state.chord.at > CHORD_MS;
  const begun = isLate ? null : state.chord;
  const keys = begun ? `${begun.keys} ${key}` : key;
  const open = { ...state, chord: null };
  const isVims = !begun && event.type === 'text' && takesLetters(open, world);
  const action = isVims ? vimAction(open, key) : world.keymap.find(contextsOf(open, world), keys);
  if (action === 'prefix') return step({ ...open, chord: { keys, at: world.now } });
  // A chord that does not exist does nothing: its last key was not meant alone.
  if (begun && action === null) return step(open, { type: 'notice', text: `${keys} has no meaning` });
  if (action === 'unbound') return step(open);
  switch (open.focus) {
    case 'search':
      return takeSearchInput(open, { type: 'key', key, action }, world);
    case 'question':
      return inQuestion(open, key, action, world);
    case 'picker':
      return inPicker(open, key, action);
    case 'pager':
      return inPager(open, key, action, world);
    case 'external':
      return step(open);
    case 'editor':
      return inEditor(open, key, action, event, world);
    default:
      return open.focus satisfies never;
  }
}

/** A letter of vim has no other meaning; in an empty editor `?` still shows the keys. */
function vimAction({ editor, vim }: FocusState, key: string): string | null {
  return key === '?' && editor.text === '' && vim.pending === '' ? 'app:help' : null;
}

/** The contexts whose bindings count, the nearest first. */
export function contextsOf(state: FocusState, world: Pick<FocusWorld, 'menu' | 'phase' | 'picker'>): Context[] {
  switch (state.focus) {
    case 'editor': {
      const menu: Context[] = openMenu(state, world) ? ['Autocomplete'] : [];
      const task: Context[] = isWorking(world.phase) ? ['Task'] : [];
      return [...menu, ...task, 'Chat', 'Global'];
    }
    case 'search':
      return ['HistorySearch', 'Global'];
    case 'question':
      return ['Confirmation', 'Tabs', 'Global'];
    case 'picker':
      return [...(world.picker && world.picker !== 'Select' ? [world.picker] : []), 'Select', 'Global'];
    case 'pager':
      return ['Transcript', 'Global'];
    case 'external':
      return [];
    default:
      return state.focus satisfies never;
  }
}

function inQuestion(state: FocusState, key: string, action: string | null, world: FocusWorld): FocusStep {
  if (action === 'app:interrupt') return step(state, { type: 'interrupt' });
  if (action === 'confirm:back' || action === 'app:question')
    return step({ ...state, focus: 'editor', hasLeftQuestion: true });
  if (action !== null && !action.startsWith('confirm:') && !action.startsWith('tabs:')) {
    return action === 'app:exit' ? step(state) : step(state, { type: 'act', action });
  }
  if (world.question?.takesText && !isLeaving(action)) {
    const change = EDIT_KEYS[key] ?? (key === 'ctrl+j' ? ({ type: 'type', text: '\n' } as const) : undefined);
    if (change) return guarded(state, world, { type: 'answer', action: 'edit', edit: change });
  }
  if (action !== null) return guarded(state, world, { type: 'answer', action });
  return QUESTION_KEYS.test(key) || (world.question?.letterAnswers && /^[yn]$/.test(key))
    ? guarded(state, world, { type: 'answer', action: 'key', text: key })
    : step(state);
}

/** Digits choose, letters show or edit. */
const QUESTION_KEYS = /^(?:[\dewv?]|pageup|pagedown)$/;

/** Keys that end or leave a text of a question. */
function isLeaving(action: string | null): boolean {
  return action === 'confirm:yes' || action === 'confirm:no' || action === 'confirm:nextField';
}

/** Nothing reaches a question that has not been on the screen for a moment. */
function guarded(state: FocusState, world: FocusWorld, intent: Intent): FocusStep {
  return isReady(world) ? step(state, intent) : step(state);
}

function isReady({ question, now }: FocusWorld): boolean {
  const paintedAt = question?.paintedAt ?? null;
  return paintedAt !== null && now - paintedAt >= GUARD_MS;
}

function inPicker(state: FocusState, key: string, action: string | null): FocusStep {
  if (action === 'app:interrupt')
    return step(withFocus(state, 'editor'), { type: 'pick', action: 'select:cancel', key });
  const next = action === 'select:cancel' ? withFocus(state, 'editor') : state;
  return step(next, { type: 'pick', action: action?.startsWith('app:') ? null : action, key });
}

function inPager(state: FocusState, key: string, action: string | null, { pager }: FocusWorld): FocusStep {
  // In a text only Ctrl+C leaves the pager: Escape ends the text, and letters belong to it.
  if (pager?.takesText && key !== 'ctrl+c') return step(state, { type: 'page', action: null, key });
  const next = action === 'transcript:exit' ? withFocus(state, 'editor') : state;
  return step(next, { type: 'page', action, key });
}

function step(state: FocusState, ...intents: Intent[]): FocusStep {
  return { state, intents };
}
