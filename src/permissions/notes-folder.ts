import { relative, sep } from 'node:path';
import { isInside } from '../util/files/path-inside.ts';
import type { Policy } from './policy.ts';

/** The folder in which the agents of one kind keep their notes. */
export interface NotesFolder {
  /** A real path. */
  path: string;
  /** Tools that the agent has only for its notes. */
  onlyHere: readonly string[];
}

/**
 * Judges an agent's calls on its notes: its file tools read and write them without asking, in every mode in which it
 * may write at all. `decide` calls it after the deny and ask rules, so that these still hold.
 */
export function notesJudge({ path: folder, onlyHere }: NotesFolder): NonNullable<Policy['notes']> {
  return ({ toolName, access }, { mode, realPath }) => {
    if (access.kind !== 'read' && access.kind !== 'edit') return null;
    const areNotes = access.paths.length > 0 && access.paths.every((path) => isNote(folder, realPath(path)));
    if (!areNotes) {
      const reason = `This agent has ${toolName} for its notes in ${folder} alone.`;
      return onlyHere.includes(toolName) ? { behavior: 'deny', layer: 'default', reason } : null;
    }
    const isHeldBack = mode === 'delegate' || (mode === 'plan' && access.kind === 'edit');
    return isHeldBack ? null : { behavior: 'allow', layer: 'default' };
  };
}

/**
 * Files that other programs act on, in any folder: those of git, shells and this program, and instructions for agents.
 */
const ACTING = /^(\..*|claude(\.local)?\.md|agents\.md)$/i;

function isNote(folder: string, real: string | null): boolean {
  if (real === null || !isInside(folder, real)) return false;
  return !relative(folder, real)
    .split(sep)
    .some((name) => ACTING.test(name));
}
