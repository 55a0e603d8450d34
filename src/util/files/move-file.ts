import { cpSync, renameSync, rmSync } from 'node:fs';
import { errorCode } from '../error-code.ts';

/** Moves a file or a folder, also to another disk: then the source is removed only after the copy is complete. */
export function moveFile(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (errorCode(error) !== 'EXDEV') throw error;
    cpSync(from, to, { recursive: true, preserveTimestamps: true, errorOnExist: true, force: false });
    rmSync(from, { recursive: true });
  }
}
