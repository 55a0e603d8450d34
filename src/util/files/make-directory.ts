import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorCode } from '../error-code.ts';

/**
 * Creates a directory and its parents. Not `mkdirSync` with `recursive`, which never returns where a parent exists but
 * cannot hold directories, as below /proc.
 */
export function makeDirectory(path: string, mode = 0o777): void {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EEXIST') return;
    if (code !== 'ENOENT' || dirname(path) === path) throw error;
    makeDirectory(dirname(path), mode);
    makeOne(path, mode);
  }
}

/** Creates a directory whose parent exists. Another process may create it first. */
export function makeOne(path: string, mode: number): void {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
}
