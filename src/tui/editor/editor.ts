/**
 * The text of the prompt as a pure reducer: `edit(state, action)` returns the next state and never throws.
 *
 * For those who draw and wire it:
 * - `EMPTY_EDITOR` is the first state; `edit(state, action)` the only way on. `focus.ts` maps keys to actions.
 * - `layOut(state, view)` (layout.ts) gives the rows as seen and the place of the real cursor. Moving up and down by
 *   rows needs the same `view`; at the first and last row nothing changes, and history is the caller's.
 * - A long paste or an image is one private character in `text`. `shownText(state)` has the labels, `promptOf(state)`
 *   what is sent: pastes whole, images apart.
 * - `edit(state, { type: 'clear' })` after sending. The kill ring stays.
 */
import {
  type AttachedImage,
  type Attachment,
  attachmentAt,
  cleanText,
  freeId,
  idsIn,
  isLong,
  isMark,
  labelOf,
  markOf,
  replaceMarks,
  splitAtMarks,
} from './attachments.ts';
import {
  atCharacter,
  lineEnd,
  lineStart,
  nextCharacter,
  nextWord,
  previousBlank,
  previousCharacter,
  previousWord,
} from './boundaries.ts';
import { type EditorView, rowMove } from './layout.ts';
import { applyEdit, type Edit, redone, undone, withEdit } from './undo.ts';

export interface EditorState {
  /** The text, with one private character for each attachment. */
  readonly text: string;
  /** Between two characters of `text`, in UTF-16 units. */
  readonly caret: number;
  /** The other end of the selection; null without one. */
  readonly anchor: number | null;
  readonly undo: readonly Edit[];
  readonly redo: readonly Edit[];
  /** What was killed, the newest last. */
  readonly kills: readonly string[];
  readonly attachments: readonly Attachment[];
  /** What the last action was, where the next one may continue it. */
  readonly run: 'type' | 'delete' | 'kill' | 'yank' | null;
  /** Which of the kills stands in the text, counted from the newest. */
  readonly yanked: number;
  /** The column that moving up and down keeps. */
  readonly column: number | null;
  /** Changes of one group are undone together; 0: each for itself, or by words. */
  readonly group: number;
}

export type Motion =
  | 'left'
  | 'right'
  | 'word-left'
  | 'word-right'
  | 'line-start'
  | 'line-end'
  | 'text-start'
  | 'text-end';

export type EditorAction =
  | { type: 'type'; text: string }
  | { type: 'paste'; text: string }
  | { type: 'attach'; image: Omit<AttachedImage, 'kind' | 'id'> }
  /** `extends`: the selection grows, as with Shift. */
  | { type: 'move'; to: Motion; extends?: boolean }
  | { type: 'move-row'; by: -1 | 1; view: EditorView; extends?: boolean }
  | { type: 'delete'; to: 'left' | 'right' }
  | { type: 'kill'; to: 'word-left' | 'word-right' | 'blank-left' | 'line-start' | 'line-end' }
  | { type: 'yank' }
  | { type: 'yank-older' }
  | { type: 'undo' }
  | { type: 'redo' }
  | { type: 'case'; to: 'upper' | 'lower' | 'capital' }
  /** The long paste after the caret becomes text. */
  | { type: 'unfold' }
  /** Part of the text is replaced, as a completion does. */
  | { type: 'replace'; from: number; to: number; text: string }
  /** All of the text is replaced, as from history; can be undone. */
  | { type: 'set'; text: string; attachments?: readonly Attachment[] }
  | { type: 'clear' };

export const EMPTY_EDITOR: EditorState = {
  text: '',
  caret: 0,
  anchor: null,
  undo: [],
  redo: [],
  kills: [],
  attachments: [],
  run: null,
  yanked: 0,
  column: null,
  group: 0,
};

export function edit(state: EditorState, action: EditorAction): EditorState {
  switch (action.type) {
    case 'type':
      return insert(state, cleanText(action.text).text, 'type');
    case 'paste':
      return paste(state, cleanText(action.text).text);
    case 'attach':
      return attach(state, { kind: 'image', ...action.image, id: 0 });
    case 'move':
      return move(state, action.to, action.extends === true);
    case 'move-row': {
      const moved = rowMove(state, action.by, action.view);
      return moved ? { ...moveTo(state, moved.caret, action.extends === true), column: moved.column } : state;
    }
    case 'delete':
      return remove(state, action.to);
    case 'kill':
      return kill(state, action.to);
    case 'yank':
      return yank(state);
    case 'yank-older':
      return yankOlder(state);
    case 'undo':
      return undone(state);
    case 'redo':
      return redone(state);
    case 'case':
      return changeCase(state, action.to);
    case 'unfold':
      return unfold(state);
    case 'replace':
      return replaceRange(state, action);
    case 'set':
      return set(state, action);
    case 'clear':
      return clear(state);
    default:
      return action satisfies never;
  }
}

/** The selected text as the user means it, pastes whole; empty without a selection. */
export function selectedText({ text, caret, anchor, attachments }: EditorState): string {
  if (anchor === null) return '';
  return wholeText(text.slice(Math.min(anchor, caret), Math.max(anchor, caret)), attachments);
}

/** The text with a label for each attachment. */
export function shownText({ text, attachments }: EditorState): string {
  return replaceMarks(text, attachments, labelOf);
}

/** What is sent: pastes whole, images by their labels and apart. */
export function promptOf({ text, attachments }: EditorState): { text: string; images: AttachedImage[] } {
  const images = splitAtMarks(text).flatMap((part, at) => {
    const found = at % 2 === 1 ? attachmentAt(part, attachments) : undefined;
    return found?.kind === 'image' ? [found] : [];
  });
  return { text: wholeText(text, attachments), images };
}

/** Whether the caret stands before a long paste, which Enter then unfolds. */
export function isBeforePaste({ text, caret, attachments }: EditorState): boolean {
  const character = text.slice(caret, nextCharacter(text, caret));
  return isMark(character) && attachmentAt(character, attachments)?.kind === 'paste';
}

function wholeText(text: string, attachments: readonly Attachment[]): string {
  return replaceMarks(text, attachments, (each) => (each.kind === 'paste' ? each.text : `[Image #${each.id}]`));
}

type Run = EditorState['run'];

/** Replaces a range and puts the caret behind what is new. */
function change(state: EditorState, range: { from: number; to: number; text: string }, run: Run): EditorState {
  const { from, to, text } = range;
  const removed = state.text.slice(from, to);
  if (removed === '' && text === '') return { ...state, anchor: null, run, column: null };
  const { group } = state;
  const made: Edit = { at: from, removed, inserted: text, caret: state.caret, ...(group !== 0 && { group }) };
  const joins = run === state.run && (run === 'type' || run === 'delete');
  return {
    ...state,
    text: applyEdit(state.text, made),
    caret: from + text.length,
    anchor: null,
    undo: withEdit(state.undo, made, { joins }),
    redo: [],
    run,
    column: null,
  };
}

/** Replaces a part of the text by text that is in the editor already: marks of attachments stay what they are. */
export function spliced(state: EditorState, from: number, to: number, text: string): EditorState {
  const isSame = state.text.slice(from, to) === text;
  return change(state, isSame ? { from: to, to, text: '' } : { from, to, text }, null);
}

/** Adds to what can be yanked. */
export function withKill(state: EditorState, text: string): EditorState {
  return text === '' ? state : { ...state, kills: [...state.kills, text].slice(-MAX_KILLS) };
}

function selection({ caret, anchor }: EditorState): { from: number; to: number } {
  return { from: Math.min(caret, anchor ?? caret), to: Math.max(caret, anchor ?? caret) };
}

function insert(state: EditorState, text: string, run: Run): EditorState {
  return change(state, { ...selection(state), text }, run);
}

function paste(state: EditorState, text: string): EditorState {
  if (text === '') return state;
  return isLong(text) ? attach(state, { kind: 'paste', id: 0, text }) : insert(state, text, null);
}

/** Gives an attachment a number and its mark. Without a free one a paste becomes text, and an image is not taken. */
function attach(state: EditorState, given: Attachment): EditorState {
  const taken = takenIds(state);
  const id = freeId(taken);
  if (id === null) return given.kind === 'paste' ? insert(state, given.text, null) : state;
  const others = state.attachments.filter((each) => taken.has(each.id));
  return { ...insert(state, markOf(id), null), attachments: [...others, { ...given, id }] };
}

/** The numbers of what can still come back: by undo, redo or the kill ring. */
function takenIds({ text, undo: done, redo: undone, kills }: EditorState): Set<number> {
  return idsIn([text, ...kills, ...[...done, ...undone].flatMap(({ removed, inserted }) => [removed, inserted])]);
}

function moveTo(state: EditorState, caret: number, extending: boolean): EditorState {
  const anchor = extending ? (state.anchor ?? state.caret) : null;
  return { ...state, caret, anchor: anchor === caret ? null : anchor, run: null, column: null };
}

function move(state: EditorState, to: Motion, extending: boolean): EditorState {
  const { from, to: end } = selection(state);
  // Without Shift, the first arrow goes to an end of the selection.
  if (!extending && from !== end && (to === 'left' || to === 'right'))
    return moveTo(state, to === 'left' ? from : end, false);
  if (to === 'right' && !extending && isBeforePaste(state)) return unfold(state);
  return moveTo(state, target(state, to), extending);
}

function target({ text, caret }: EditorState, to: Motion): number {
  switch (to) {
    case 'left':
      return previousCharacter(text, caret);
    case 'right':
      return nextCharacter(text, caret);
    case 'word-left':
      return previousWord(text, caret, isMark);
    case 'word-right':
      return nextWord(text, caret, isMark);
    case 'line-start':
      return lineStart(text, caret);
    case 'line-end':
      return lineEnd(text, caret);
    case 'text-start':
      return 0;
    case 'text-end':
      return text.length;
    default:
      return to satisfies never;
  }
}

function remove(state: EditorState, to: 'left' | 'right'): EditorState {
  const chosen = selection(state);
  if (chosen.from !== chosen.to) return change(state, { ...chosen, text: '' }, null);
  const other = target(state, to);
  return change(state, { from: Math.min(other, state.caret), to: Math.max(other, state.caret), text: '' }, 'delete');
}

/** As many as anyone pastes back. */
const MAX_KILLS = 60;

/** Kills in a row are one. At the end of a line, what separates it from the next line goes. */
function kill(state: EditorState, to: Extract<EditorAction, { type: 'kill' }>['to']): EditorState {
  const { text, caret } = state;
  const isForward = to === 'word-right' || to === 'line-end';
  const goal = to === 'blank-left' ? previousBlank(text, caret) : target(state, to);
  const end = goal !== caret ? goal : to === 'line-end' ? caret + 1 : to === 'line-start' ? caret - 1 : caret;
  const from = Math.max(0, Math.min(caret, end));
  const killed = text.slice(from, Math.min(text.length, Math.max(caret, end)));
  if (killed === '') return { ...state, anchor: null, run: state.run === 'kill' ? 'kill' : null };
  const last = state.run === 'kill' ? (state.kills.at(-1) ?? '') : null;
  const kept = last === null ? state.kills : state.kills.slice(0, -1);
  const joined = last === null ? killed : isForward ? last + killed : killed + last;
  const next = change(state, { from, to: from + killed.length, text: '' }, 'kill');
  return withKill({ ...next, kills: kept }, joined);
}

function yank(state: EditorState): EditorState {
  const text = state.kills.at(-1);
  return text === undefined ? state : { ...insert(state, text, 'yank'), yanked: 0 };
}

/** Replaces what was just yanked by what was killed before it. */
function yankOlder(state: EditorState): EditorState {
  const { kills, run, yanked, caret } = state;
  const present = kills[kills.length - 1 - yanked];
  if (run !== 'yank' || present === undefined || kills.length < 2) return state;
  const next = (yanked + 1) % kills.length;
  const text = kills[kills.length - 1 - next] ?? '';
  return { ...change(state, { from: caret - present.length, to: caret, text }, 'yank'), yanked: next };
}

/** Changes the word after the caret, as readline does, and goes behind it. */
function changeCase(state: EditorState, to: 'upper' | 'lower' | 'capital'): EditorState {
  const { text, caret } = state;
  const end = nextWord(text, caret, isMark);
  const word = text.slice(caret, end);
  const small = word.toLowerCase();
  const changed =
    to === 'upper'
      ? word.toUpperCase()
      : to === 'lower'
        ? small
        : small.replace(/[\p{L}\p{N}]/u, (first) => first.toUpperCase());
  return changed === word ? moveTo(state, end, false) : change(state, { from: caret, to: end, text: changed }, null);
}

function unfold(state: EditorState): EditorState {
  const { text, caret, attachments } = state;
  const end = nextCharacter(text, caret);
  const found = isBeforePaste(state) ? attachmentAt(text.slice(caret, end), attachments) : undefined;
  if (found?.kind !== 'paste') return state;
  return { ...change(state, { from: caret, to: end, text: found.text }, null), caret };
}

function replaceRange(state: EditorState, given: { from: number; to: number; text: string }): EditorState {
  const from = atCharacter(state.text, Math.min(given.from, given.to));
  const to = Math.max(from, atCharacter(state.text, Math.max(given.from, given.to)));
  return change(state, { from, to, text: cleanText(given.text).text }, null);
}

/** Attachments that come along get numbers of their own: the marks in the given text are those of the given list. */
function set(state: EditorState, { text, attachments = [] }: Extract<EditorAction, { type: 'set' }>): EditorState {
  const taken = takenIds(state);
  const others = state.attachments.filter(({ id }) => taken.has(id));
  const parts = splitAtMarks(text).map((part, at) => {
    if (at % 2 === 0) return cleanText(part).text;
    const found = attachmentAt(part, attachments);
    const id = freeId(taken);
    if (!found || id === null) return found?.kind === 'paste' ? found.text : '';
    taken.add(id);
    others.push({ ...found, id });
    return markOf(id);
  });
  return { ...change(state, { from: 0, to: state.text.length, text: parts.join('') }, null), attachments: others };
}

/** Attachments stay as long as something that was killed has them. */
function clear({ kills, attachments, group }: EditorState): EditorState {
  const kept = idsIn(kills);
  return { ...EMPTY_EDITOR, kills, group, attachments: attachments.filter(({ id }) => kept.has(id)) };
}

/** The text with the attachments that are in it, as history and drafts hold it. */
export function draftOf({ text, attachments }: EditorState): Draft {
  const ids = idsIn([text]);
  return { text, attachments: attachments.filter(({ id }) => ids.has(id)) };
}

export interface Draft {
  readonly text: string;
  readonly attachments: readonly Attachment[];
}
