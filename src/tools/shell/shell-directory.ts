import { realpathSync } from 'node:fs';
import { ToolError } from './tool.ts';

/** Where the commands of a session start: what `cd` has left in one of them holds for the next. */
export interface ShellDirectory {
  /** Where a command that starts now would run, a real path. Permissions are judged by it. */
  current(): string;
  /** The same for a command that is judged. Throws a ToolError when it is gone since: the command runs nowhere else. */
  enter(): string;
  /** Takes where a command has ended; null when that is not known, and then nothing changes. */
  endedIn(path: string | null): void;
  /** What the model must be told of a directory that could not be kept; once. Empty when there is nothing to tell. */
  takeNote(): string;
}

export interface ShellDirectoryOptions {
  /** Where the first command starts, and each one after a directory that could not be kept. A real path. */
  start: string;
  /** Whether commands may start there; asked each time, because the directories of a session change. */
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

/** Not when a symlink has taken its place: that may lead anywhere. */
function isRealPath(path: string): boolean {
  try {
    return realpathSync(path) === path;
  } catch {
    return false;
  }
}
