import { statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import type { Hooks } from '../../hooks/dispatch.ts';
import type { Hook } from '../../hooks/hook.ts';

/** Detects changes around a session that no line reports: the directory of its commands, its roots, files. */
export interface DirectoryWatch {
  /** Sets the files that hooks watch, instead of those that were named before. */
  watch(paths: readonly string[]): void;
  /** Compares with the last call, and reports changes to hooks. The first call reports nothing. */
  look(signal: AbortSignal): Promise<void>;
}

export interface DirectoryWatchOptions {
  fire: Hooks['fire'];
  /** The hooks for changed files. */
  fileHooks(): readonly Hook[];
  /** The directory in which commands run now. */
  cwd(): string;
  /** The directories that the session may work in. */
  roots(): readonly string[];
  /** The origin of a root, in the words of the event. */
  addedBy(root: string): string;
}

/** The limit of watched files. */
const MAX_FILES = 1000;

/**
 * Looks for changes only when it is called: before a turn and after each tool call. That is early enough, because hooks
 * for files can only prepare what follows, and nothing has to run in the background.
 */
export function createDirectoryWatch({ fire, fileHooks, cwd, roots, addedBy }: DirectoryWatchOptions): DirectoryWatch {
  let directory = cwd();
  let known: ReadonlySet<string> = new Set(roots());
  /** Files that hooks have named, in addition to those in their matchers. */
  let named: readonly string[] = [];
  /** By path; empty for a missing file. */
  const stamps = new Map<string, string>();

  async function announce(event: 'CwdChanged' | 'FileChanged', payload: Record<string, unknown>, signal: AbortSignal) {
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
      await announce('FileChanged', { file_path: path, event: kindOf(before, now) }, signal);
      stamps.set(path, stampOf(path)); // the hook knows its own changes
    }
  }

  return {
    watch,
    async look(signal) {
      const now = cwd();
      if (now !== directory) {
        const payload = { old_cwd: directory, new_cwd: now };
        directory = now;
        await announce('CwdChanged', payload, signal);
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

/** The files that a matcher of plain names watches. Any other matcher only selects among the watched files. */
function namesIn({ matcher }: Hook): string[] {
  return /^[\w.-]+(\s*\|\s*[\w.-]+)*$/.test(matcher) ? matcher.split('|').map((name) => name.trim()) : [];
}

function stampOf(path: string): string {
  try {
    const { ino, size, mtimeMs } = statSync(path);
    return `${ino}/${size}/${mtimeMs}`;
  } catch {
    return ''; // missing, or not readable
  }
}

function kindOf(before: string, now: string): 'add' | 'change' | 'unlink' {
  if (before === '') return 'add';
  return now === '' ? 'unlink' : 'change';
}
