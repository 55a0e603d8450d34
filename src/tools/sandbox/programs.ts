import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
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

function executableAt(path: string): string | null {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile() ? realpathSync(path) : null;
  } catch {
    return null;
  }
}
