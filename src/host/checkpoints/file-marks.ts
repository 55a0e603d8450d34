import { constants, lstatSync } from 'node:fs';
import { copyFile, lstat, readFile } from 'node:fs/promises';
import { errorCode } from '../../util/error-code.ts';

/** Recognises an unchanged file without reading it. */
export interface FileMark {
  kind: 'file' | 'link';
  size: number;
  mode: number;
  mtimeMs: number;
  ctimeMs: number;
  ino: number;
  /** The birth time of the file, under any name; where the file system has none, the time of its last change. */
  birthtimeMs: number;
}

/** Null: there is no file or link at this path. Undefined: the path cannot be examined. Does not follow symlinks. */
export function markOf(path: string): FileMark | null | undefined {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (!stats?.isFile() && !stats?.isSymbolicLink()) return null;
    const { size, mtimeMs, ctimeMs, ino, birthtimeMs } = stats;
    const kind = stats.isFile() ? 'file' : 'link';
    return { kind, size, mode: stats.mode & 0o7777, mtimeMs, ctimeMs, ino, birthtimeMs };
  } catch (error) {
    return errorCode(error) === 'ENOTDIR' ? null : undefined;
  }
}

export function isSameMark(a: FileMark, b: FileMark): boolean {
  const sameTimes = a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs;
  return sameTimes && a.size === b.size && a.ino === b.ino && a.mode === b.mode && a.kind === b.kind;
}

/** Whether a file has the content and the mode of a copy. `now` is the file's mark. */
export async function isLikeCopy(path: string, now: FileMark, copy: string): Promise<boolean> {
  const kept = await lstat(copy);
  if (now.kind !== 'file' || now.size !== kept.size || now.mode !== (kept.mode & 0o7777)) return false;
  const [one, other] = await Promise.all([readFile(path), readFile(copy)]);
  return one.equals(other);
}

/** Copies content and mode; where the file system can, without copying the bytes. Fails when the target exists. */
export function copyWhole(source: string, target: string): Promise<void> {
  return copyFile(source, target, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
}
