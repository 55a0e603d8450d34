import { closeSync, existsSync, fstatSync, linkSync, openSync, readSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorCode } from '../../util/error-code.ts';
import { makeDirectory } from '../../util/files/make-directory.ts';
import { stringField, tryParseJson } from '../../util/json.ts';
import type { Logger } from '../../util/runtime.ts';
import { linesBackwards } from './reverse-lines.ts';
import { isTorn } from './torn-line.ts';
import type { TranscriptFile } from './transcript-file.ts';
import { createUuidIndex } from './uuid-index.ts';

/**
 * What happened to the path of an open file: `same`, it still leads to that file; `deleted`, the file has no name left;
 * `moved`, it has another name and the path is free; `replaced`, the path leads to another file.
 */
export type PathState = 'same' | 'deleted' | 'moved' | 'replaced';

/**
 * Continues at the path of a transcript that is no longer there: entries in the old file would be missing where the
 * session is looked up. A deleted file stays deleted; a moved one is copied back, and a file that replaced it gets the
 * entries it lacks.
 */
export function continueAtPath(file: TranscriptFile, path: string, log: Logger): PathState {
  let state: PathState = 'same';
  if (file.isAtPath()) return state;
  file.goOnAtPath({
    before(old) {
      state = existsSync(path) ? 'replaced' : fstatSync(old).nlink === 0 ? 'deleted' : 'moved';
      if (state === 'moved') copyBack(old, path);
    },
    bringOver: (old, next) => state !== 'deleted' && catchUp(old, next),
  });
  log('warn', `The session file ${path} ${SAID[state]}.`);
  return state;
}

const SAID: Record<PathState, string> = {
  same: '',
  deleted: 'was deleted while in use; what follows goes into a new one',
  moved: 'was moved away while in use; it was written anew, with all that was said, and goes on there',
  replaced: 'was replaced by another one while in use; what that lacked was added to it, and it goes on there',
};

/**
 * Copies a moved file back to its old path, as a whole or not at all: it is written under another name first. A file
 * that has appeared there meanwhile stays.
 */
function copyBack(fd: number, path: string): void {
  makeDirectory(dirname(path), 0o700);
  const draft = `${path}.${fd}.copy`;
  rmSync(draft, { force: true });
  const copy = openSync(draft, 'wx', 0o600);
  try {
    copyBytes({ from: fd, start: 0, to: copy });
    moveToPath(draft, path);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  } finally {
    closeSync(copy);
    rmSync(draft, { force: true });
  }
}

/** Never overwrites another file, where the file system supports that. */
function moveToPath(draft: string, path: string): void {
  try {
    linkSync(draft, path);
  } catch (error) {
    if (!WITHOUT_LINKS.has(errorCode(error) ?? '')) throw error;
    renameSync(draft, path);
  }
}

const WITHOUT_LINKS: ReadonlySet<string> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

/**
 * Appends to the new file at the path all entries of the old file after the last entry that both contain. Entries that
 * were removed further up stay removed. Throws when the two have no entry in common and the old file has no name left:
 * the file was then replaced on purpose.
 */
function catchUp(old: number, next: number): void {
  const { size, nlink } = fstatSync(old);
  const start = lastCommon(old, size, next);
  if (start === null && nlink === 0 && size > 0) {
    throw new Error('another file was put in its place, which holds nothing of this session');
  }
  if ((start ?? 0) < size && isTorn(next, fstatSync(next).size)) writeSync(next, '\n');
  copyBytes({ from: old, start: start ?? 0, to: next });
}

/**
 * The offset in the old file of the first line after everything that the next file contains; null: they share nothing.
 */
function lastCommon(old: number, size: number, next: number): number | null {
  const uuids = createUuidIndex(next);
  uuids.learn(0, fstatSync(next).size);
  for (const { bytes, offset, length, ended } of linesBackwards(old, { end: size })) {
    const uuid = bytes && stringField(tryParseJson(bytes.toString('utf8')), 'uuid');
    if (uuid && uuids.has(uuid)) return offset + length + (ended ? 1 : 0);
  }
  return null;
}

const BLOCK = 1024 * 1024;

/** Copies to the current position of `to`, or to its end if it is open for appending. */
function copyBytes({ from, start, to }: { from: number; start: number; to: number }): void {
  const block = Buffer.allocUnsafe(BLOCK);
  for (let at = start; ; ) {
    const length = readSync(from, block, 0, BLOCK, at);
    if (length === 0) return;
    for (let written = 0; written < length; ) written += writeSync(to, block, written, length - written);
    at += length;
  }
}
