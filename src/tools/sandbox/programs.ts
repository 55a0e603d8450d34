import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { isInsideAny } from './inside.ts';

/**
 * Where a program is, by PATH. Not in a directory that commands may write: one of them could put another program there,
 * and what builds the sandbox must not be of its making.
 */
export function findProgram(name: string, path: string | undefined, writable: readonly string[]): string | null {
  for (const directory of (path ?? '').split(':').filter(isAbsolute)) {
    const real = executableAt(join(directory, name));
    if (real !== null && !isInsideAny(writable, real)) return real;
  }
  return null;
}

/**
 * The entries of a PATH in which commands cannot put programs: for what runs outside of a sandbox (ruling G12). Relative
 * ones mean another directory for everybody.
 */
export function unwritablePath(path: string | undefined, writable: readonly string[]): string {
  return entriesOf(path)
    .filter((entry) => !isOpen(entry, writable))
    .join(':');
}

/**
 * A PATH whose entries in which commands can put programs come last: for what the user's settings run outside of a sandbox.
 * A program of the project is found as before, and none of them takes the place of one that is installed elsewhere.
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

/** Where nothing is yet, it may come to be. */
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
