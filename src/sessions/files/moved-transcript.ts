import { closeSync, existsSync, fstatSync, linkSync, openSync, readSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorCode } from '../util/error-code.ts';
import { stringField, tryParseJson } from '../util/json.ts';
import { makeDirectory } from '../util/make-directory.ts';
import type { Logger } from '../util/runtime.ts';
import { linesBackwards } from './reverse-lines.ts';
import { isTorn } from './torn-line.ts';
import type { TranscriptFile } from './transcript-file.ts';
import { createUuidIndex } from './uuid-index.ts';

/**
 * What has become of the path of a file that is open: still that file; `deleted`, there is no name for it any more;
 * `moved`, it has another name and the path none; `replaced`, the path leads to another file.
 */
export type PathState = 'same' | 'deleted' | 'moved' | 'replaced';

/**
 * Goes on at the path of a transcript that does not lie there any more: what went on into the old file would be missing
 * where the session is looked for. What was deleted stays deleted; what lies elsewhere is copied back, and to a file that
 * lies in its place comes what that lacks.
 */
export function goOnInPlace(file: TranscriptFile, path: string, log: Logger): PathState {
  let state: PathState = 'same';
  if (file.isInPlace()) return state;
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
 * Puts a copy of a file that was moved away into its old place, whole or not at all: under another name first. What has
 * come to be there meanwhile stays.
 */
function copyBack(fd: number, path: string): void {
  makeDirectory(dirname(path), 0o700);
  const draft = `${path}.${fd}.copy`;
  rmSync(draft, { force: true });
  const copy = openSync(draft, 'wx', 0o600);
  try {
    copyBytes({ from: fd, start: 0, to: copy });
    putInPlace(draft, path);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  } finally {
    closeSync(copy);
    rmSync(draft, { force: true });
  }
}

/** Never over another file, where the file system knows how. */
function putInPlace(draft: string, path: string): void {
  try {
    linkSync(draft, path);
  } catch (error) {
    if (!WITHOUT_LINKS.has(errorCode(error) ?? '')) throw error;
    renameSync(draft, path);
  }
}

const WITHOUT_LINKS: ReadonlySet<string> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

/**
 * Appends to the file in whose place another one is open what that has more: all that stands behind the last entry that
 * both hold. What was taken out further up stays out. Throws when they have no entry in common and the old file has no
 * name any more: then somebody wanted something else to be here.
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

/** Where in the old file the first line begins that stands behind all that the next one holds; null: it holds nothing of it. */
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

/** To where `to` stands, or to its end if it is open for appending. */
function copyBytes({ from, start, to }: { from: number; start: number; to: number }): void {
  const block = Buffer.allocUnsafe(BLOCK);
  for (let at = start; ; ) {
    const length = readSync(from, block, 0, BLOCK, at);
    if (length === 0) return;
    for (let written = 0; written < length; ) written += writeSync(to, block, written, length - written);
    at += length;
  }
}
