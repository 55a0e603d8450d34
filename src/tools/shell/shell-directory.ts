import { realpathSync } from 'node:fs';
import { ToolError } from '../tool.ts';

/** The directory in which the commands of a session start: a `cd` in one command holds for the next. */
export interface ShellDirectory {
  /** The real path of the directory for the next command. Permissions are judged by it. */
  current(): string;
  /**
   * The directory for a command that has been judged. Throws a ToolError when it no longer exists: the command runs
   * nowhere else.
   */
  enter(): string;
  /** Sets the directory in which a command has ended; null (unknown) changes nothing. */
  endedIn(path: string | null): void;
  /**
   * A note for the model about a directory that could not be kept; given once. Empty when there is nothing to report.
   */
  takeNote(): string;
}

export interface ShellDirectoryOptions {
  /** The directory of the first command, and of each one after a directory that could not be kept. A real path. */
  start: string;
  /** True when commands may start there; checked each time, because the directories of a session change. */
  isInside(path: string): boolean;
}

export function createShellDirectory({ start, isInside }: ShellDirectoryOptions): ShellDirectory {
  let kept = start;
  let note = '';

  function check(): void {
    if (kept === start) return;
    const problem = problemWith(kept);
    if (problem === null) return;
    note = `[${kept} ${problem}; the next command starts in ${start}.]`;
    kept = start;
  }

  function takeNote(): string {
    const text = note;
    note = '';
    return text;
  }

  function problemWith(path: string): string | null {
    if (!isInside(path)) return 'is outside the directories of this session';
    return isRealPath(path) ? null : 'is not there any more';
  }

  return {
    current() {
      check();
      return kept;
    },
    enter() {
      const judged = kept;
      check();
      if (kept !== judged) throw new ToolError(`Nothing was run. ${takeNote()}`);
      return kept;
    },
    endedIn(path) {
      kept = path ?? kept;
      check();
    },
    takeNote,
  };
}

/** False when a symlink has replaced it, because that may lead anywhere. */
function isRealPath(path: string): boolean {
  try {
    return realpathSync(path) === path;
  } catch {
    return false;
  }
}
