import { appendFileSync, readFileSync, unlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { errorCode } from '../../util/error-code.ts';
import { makeDirectory } from '../../util/files/make-directory.ts';
import { homeUnwritable } from '../storage-errors.ts';
import type { CallMark } from '../store.ts';

/** How far the tool calls of sessions have come, in a file next to the lease of each run that has calls. */
export interface CallMarks {
  /**
   * Waits for nothing: the note is with the kernel when this returns. Throws `storage_failed` where a start cannot be
   * noted; a call of which only the asking is not noted counts as interrupted later, which is the careful reading.
   */
  note(sessionId: string, calls: readonly string[], mark: CallMark): void;
  /** The calls that were asked for and not started, of these. */
  neverStarted(sessionId: string, calls: readonly string[]): string[];
  /** The run has ended in good order: all its calls have results. */
  forget(sessionId: string): void;
}

export function createCallMarks(home: string): CallMarks {
  const pathOf = (sessionId: string) => join(home, 'locks', `${sessionId}.calls`);
  /** The sessions of which this process has written notes. */
  const noted = new Set<string>();
  return {
    note(sessionId, calls, mark) {
      const path = pathOf(sessionId);
      try {
        if (!noted.has(sessionId)) makeDirectory(dirname(path), 0o700);
        appendFileSync(path, `${JSON.stringify([mark, ...calls])}\n`, { mode: 0o600 });
      } catch (error) {
        if (mark === 'asked') return;
        throw homeUnwritable(home, error);
      }
      noted.add(sessionId);
    },
    neverStarted(sessionId, calls) {
      const marks = readMarks(pathOf(sessionId));
      if (marks.size > 0) noted.add(sessionId);
      return calls.filter((id) => marks.get(id) === 'asked');
    },
    forget(sessionId) {
      if (!noted.delete(sessionId)) return;
      try {
        unlinkSync(pathOf(sessionId));
      } catch {
        // Notes of calls that have results hurt nobody.
      }
    },
  };
}

/** The last mark of each call. Lines that cannot be read, such as a torn last one, tell nothing. */
function readMarks(path: string): Map<unknown, unknown> {
  const marks = new Map<unknown, unknown>();
  for (const line of textOf(path).split('\n')) {
    const noted = tryParse(line);
    if (!Array.isArray(noted)) continue;
    const [mark, ...calls] = noted;
    for (const id of calls) marks.set(id, mark);
  }
  return marks;
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return '';
    throw error;
  }
}

function tryParse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
