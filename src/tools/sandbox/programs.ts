import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { isInsideAny } from '../../util/files/path-inside.ts';

/**
 * The path of a program, found by PATH. Skips directories that commands may write: a command could put its own program
 * there, and the sandbox must not be built by it.
 */
export function findProgram(name: string, path: string | undefined, writable: readonly string[]): string | null {
  for (const directory of (path ?? '').split(':').filter(isAbsolute)) {
    const real = executableAt(join(directory, name));
    if (real !== null && !isInsideAny(writable, real)) return real;
  }
  return null;
}

/**
 * The entries of a PATH in which commands cannot put programs: for programs that run outside of a sandbox. Relative
 * entries are left out, because they depend on the current directory.
 */
export function unwritablePath(path: string | undefined, writable: readonly string[]): string {
  return entriesOf(path)
    .filter((entry) => !isOpen(entry, writable))
    .join(':');
}

/**
 * A PATH with the entries that commands can write at the end: for programs that the user's settings run outside of a
 * sandbox. Programs of the project are still found, but cannot shadow an installed one.
 */
export function writableLast(path: string | undefined, writable: readonly string[]): string {
  const open = entriesOf(path).filter((entry) => isOpen(entry, writable));
  return [unwritablePath(path, writable), ...open].filter(Boolean).join(':');
}

function entriesOf(path = ''): string[] {
  return path.split(':').filter(Boolean);
}

function isOpen(directory: string, writable: readonly string[]): boolean {
  return !isAbsolute(directory) || isInsideAny(writable, realDirectory(directory));
}

/** Also resolves a directory that does not exist yet, because it may be created later. */
function realDirectory(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path === '/' ? path : join(realDirectory(dirname(path)), basename(path));
  }
}

function executableAt(path: string): string | null {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile() ? realpathSync(path) : null;
  } catch {
    return null;
  }
}
