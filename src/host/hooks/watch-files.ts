import { statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import type { Hooks } from '../hooks/dispatch.ts';
import type { Hook } from '../hooks/hook.ts';

/** What changes around a session without anybody saying so: the directory of its commands, its roots, files. */
export interface PlaceWatch {
  /** Hooks want to hear of these files, in place of those that were named before. */
  watch(paths: readonly string[]): void;
  /** Looks, and tells hooks what is other than the last time. What was there the first time is no news. */
  look(signal: AbortSignal): Promise<void>;
}

export interface PlaceWatchOptions {
  fire: Hooks['fire'];
  /** The hooks for changed files. */
  fileHooks(): readonly Hook[];
  /** Where commands run now. */
  cwd(): string;
  /** The directories that the session may work in. */
  roots(): readonly string[];
  /** Who has added one of them, in the words of the event. */
  addedBy(root: string): string;
}

/** More than that nobody wants to hear of. */
const MAX_FILES = 1000;

/**
 * Looks whenever it is asked to: before a turn and after each call. Hooks for files can only prepare what follows, so it is
 * early enough, and nothing has to run in the background for it.
 */
export function createPlaceWatch({ fire, fileHooks, cwd, roots, addedBy }: PlaceWatchOptions): PlaceWatch {
  let directory = cwd();
  let known: ReadonlySet<string> = new Set(roots());
  /** Files that hooks have named, beside those in their matchers. */
  let named: readonly string[] = [];
  /** By path; empty for a file that is not there. */
  const stamps = new Map<string, string>();

  async function tell(event: 'CwdChanged' | 'FileChanged', payload: Record<string, unknown>, signal: AbortSignal) {
    const { watchPaths } = await fire(event, payload, signal);
    if (watchPaths !== null) watch(watchPaths);
  }

  function watch(paths: readonly string[]): void {
    named = paths.filter(isAbsolute).slice(0, MAX_FILES);
  }

  async function lookAtFiles(signal: AbortSignal): Promise<void> {
    const hooks = fileHooks();
    if (hooks.length === 0) return;
    const paths = new Set([...hooks.flatMap(namesIn).map((name) => join(directory, name)), ...named]);
    for (const path of paths) {
      const before = stamps.get(path);
      const now = stampOf(path);
      stamps.set(path, now);
      if (before === undefined || before === now) continue;
      await tell('FileChanged', { file_path: path, event: kindOf(before, now) }, signal);
      stamps.set(path, stampOf(path)); // what the hook itself has changed, it knows
    }
  }

  return {
    watch,
    async look(signal) {
      const now = cwd();
      if (now !== directory) {
        const payload = { old_cwd: directory, new_cwd: now };
        directory = now;
        await tell('CwdChanged', payload, signal);
      }
      const added = roots().filter((root) => !known.has(root));
      known = new Set(roots());
      for (const root of added) {
        await fire('DirectoryAdded', { directory: root, directory_path: root, source: addedBy(root) }, signal);
      }
      await lookAtFiles(signal);
    },
  };
}

/** A matcher of plain names also says which files are meant; any other one only chooses among those that are watched. */
function namesIn({ matcher }: Hook): string[] {
  return /^[\w.-]+(\s*\|\s*[\w.-]+)*$/.test(matcher) ? matcher.split('|').map((name) => name.trim()) : [];
}

function stampOf(path: string): string {
  try {
    const { ino, size, mtimeMs } = statSync(path);
    return `${ino}/${size}/${mtimeMs}`;
  } catch {
    return ''; // not there, or not for us to see
  }
}

function kindOf(before: string, now: string): 'add' | 'change' | 'unlink' {
  if (before === '') return 'add';
  return now === '' ? 'unlink' : 'change';
}
