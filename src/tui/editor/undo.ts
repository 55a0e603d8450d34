/** One change of the text, with all that takes it back. */
export interface Edit {
  readonly at: number;
  readonly removed: string;
  readonly inserted: string;
  /** Where the caret was before. */
  readonly caret: number;
  /** Changes of one group, one after the other, are one. */
  readonly group?: number;
}

interface Undoable {
  readonly text: string;
  readonly caret: number;
  readonly undo: readonly Edit[];
  readonly redo: readonly Edit[];
}

/** More than anyone takes back; older changes are forgotten. */
const MAX_EDITS = 500;

export function applyEdit(text: string, { at, removed, inserted }: Edit): string {
  return text.slice(0, at) + inserted + text.slice(at + removed.length);
}

function revertEdit(text: string, { at, removed, inserted }: Edit): string {
  return text.slice(0, at) + removed + text.slice(at + inserted.length);
}

/** What stays of an editor whose text was taken back: no selection, and nothing that the next action continues. */
const SETTLED = { anchor: null, run: null, column: null };

/** Takes back the last change, with all of its group. */
export function undone<State extends Undoable>(state: State): State {
  const last = state.undo.at(-1);
  if (!last) return state;
  const before: State = {
    ...state,
    ...SETTLED,
    text: revertEdit(state.text, last),
    caret: last.caret,
    undo: state.undo.slice(0, -1),
    redo: [...state.redo, last],
  };
  return isOfGroup(before.undo.at(-1), last) ? undone(before) : before;
}

/** Makes again what was taken back last, with all of its group. */
export function redone<State extends Undoable>(state: State): State {
  const last = state.redo.at(-1);
  if (!last) return state;
  const after: State = {
    ...state,
    ...SETTLED,
    text: applyEdit(state.text, last),
    caret: last.at + last.inserted.length,
    undo: [...state.undo, last],
    redo: state.redo.slice(0, -1),
  };
  return isOfGroup(after.redo.at(-1), last) ? redone(after) : after;
}

function isOfGroup(edit: Edit | undefined, { group }: Edit): boolean {
  return group !== undefined && edit?.group === group;
}

/**
 * Adds a change. A change that continues the last one joins it, so that one undo takes back a word, or a run of
 * deletions, and not a letter.
 */
export function withEdit(edits: readonly Edit[], edit: Edit, { joins }: { joins: boolean }): readonly Edit[] {
  const last = edits.at(-1);
  const joined = joins && last ? join(last, edit) : null;
  if (joined) return [...edits.slice(0, -1), joined];
  return edits.length < MAX_EDITS ? [...edits, edit] : [...edits.slice(1 - MAX_EDITS), edit];
}

function join(last: Edit, next: Edit): Edit | null {
  if (last.group !== next.group) return null;
  if (next.removed === '' && last.at + last.inserted.length === next.at) {
    const isNewWord = /\s$/.test(last.inserted) && !/^\s/.test(next.inserted);
    return isNewWord ? null : { ...last, inserted: last.inserted + next.inserted };
  }
  if (next.inserted !== '' || last.inserted !== '') return null;
  if (next.at + next.removed.length === last.at) return { ...last, at: next.at, removed: next.removed + last.removed };
  return next.at === last.at ? { ...last, removed: last.removed + next.removed } : null;
}
