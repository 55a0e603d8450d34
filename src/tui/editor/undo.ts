/** One change of the text, with all that takes it back. */
export interface Edit {
  readonly at: number;
  readonly removed: string;
  readonly inserted: string;
  /** Where the caret was before. */
  readonly caret: number;
}

/** More than anyone takes back; older changes are forgotten. */
const MAX_EDITS = 500;

export function applyEdit(text: string, { at, removed, inserted }: Edit): string {
  return text.slice(0, at) + inserted + text.slice(at + removed.length);
}

export function revertEdit(text: string, { at, removed, inserted }: Edit): string {
  return text.slice(0, at) + removed + text.slice(at + inserted.length);
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
  if (next.removed === '' && last.at + last.inserted.length === next.at) {
    const isNewWord = /\s$/.test(last.inserted) && !/^\s/.test(next.inserted);
    return isNewWord ? null : { ...last, inserted: last.inserted + next.inserted };
  }
  if (next.inserted !== '' || last.inserted !== '') return null;
  if (next.at + next.removed.length === last.at) return { ...last, at: next.at, removed: next.removed + last.removed };
  return next.at === last.at ? { ...last, removed: last.removed + next.removed } : null;
}
