import { closeSync, constants, fstatSync, ftruncateSync, openSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeDirectory } from '../../util/files/make-directory.ts';
import type { Entry } from '../../wire/entries.ts';
import { storageFailed } from '../storage-errors.ts';
import type { AppendOptions } from '../store.ts';
import { entryJson } from './entry-json.ts';
import { marksAtEnd, repeatedMarks, type SessionMarks, withMark } from './title-and-tag.ts';
import { isTorn } from './torn-line.ts';
import { createUuidIndex, type UuidIndex } from './uuid-index.ts';

/** write(2): returns how many bytes were written. A parameter, so that tests can make it fail. */
export type WriteBytes = (fd: number, bytes: Buffer, offset: number) => number;

export const writeToFile: WriteBytes = (fd, bytes, offset) => writeSync(fd, bytes, offset);

export interface TranscriptFile {
  /**
   * Appends the entries whose uuid is not yet in the file, with one write(2). Returns when the kernel has them, or
   * throws `storage_failed` and leaves the file unchanged.
   */
  append(entries: readonly Entry[], options?: AppendOptions): void;
  /** Whether one of its entries has this uuid. */
  has(uuid: string): boolean;
  /** Whether the open file is still the one at its path. */
  isAtPath(): boolean;
  /** Opens the file at the path, or creates one, and continues with it. */
  goOnAtPath(steps: { before(old: number): void; bringOver(old: number, next: number): void }): void;
  close(): void;
}

// O_NONBLOCK: opening a FIFO must fail or return, never wait for its other end.
const { O_APPEND, O_CREAT, O_NONBLOCK, O_RDWR } = constants;

/** Opens a transcript for appending; creates it and its folders if needed, private to the user. */
export function openTranscript(path: string, options: { write: WriteBytes }): TranscriptFile {
  const writing = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw storageFailed(path, error);
    }
  };
  let file = writing(() => openFile(path));

  return {
    append: (entries, { areNew = false } = {}) =>
      writing(() => {
        const { size } = fstatSync(file.fd);
        if (size !== file.expectedSize) noticeOthers(file, size);
        const fresh = areNew || !entries.some(hasUuid) ? entries : unstored(file, size, entries);
        if (fresh.length > 0) appendGroup(file, size, fresh, options.write);
      }),
    isAtPath: () =>
      writing(() => {
        const [open, there] = [fstatSync(file.fd), statSync(path, { throwIfNoEntry: false })];
        return there?.ino === open.ino && there.dev === open.dev;
      }),
    goOnAtPath: ({ before, bringOver }) =>
      writing(() => {
        before(file.fd);
        const next = openFile(path);
        try {
          bringOver(file.fd, next.fd);
        } catch (error) {
          closeSync(next.fd);
          throw error;
        }
        closeSync(file.fd);
        file = next;
      }),
    has(uuid) {
      const { size } = fstatSync(file.fd);
      if (size !== file.expectedSize) noticeOthers(file, size);
      return unstored(file, size, [{ type: 'user', uuid }]).length === 0;
    },
    close: () => closeSync(file.fd),
  };
}

interface OpenFile {
  fd: number;
  uuids: UuidIndex;
  /** The size of the file if no other process writes to it. */
  expectedSize: number;
  /** The offset up to which `uuids` includes the entries of other writers. */
  knownTo: number;
  /** Whether others have written after that offset. */
  isUnknown: boolean;
  /** The file does not end in a newline. */
  torn: boolean;
  marks: SessionMarks;
}

function openFile(path: string): OpenFile {
  makeDirectory(dirname(path), 0o700);
  const fd = openSync(path, O_RDWR | O_APPEND | O_CREAT | O_NONBLOCK, 0o600);
  if (!fstatSync(fd).isFile()) {
    closeSync(fd);
    throw new Error('it is not a regular file');
  }
  return {
    fd,
    uuids: createUuidIndex(fd),
    expectedSize: 0,
    knownTo: 0,
    isUnknown: false,
    torn: false,
    marks: new Map(),
  };
}

function appendGroup(file: OpenFile, size: number, entries: readonly Entry[], write: WriteBytes): void {
  // A torn last line stays a separate line; glued to it, the next entry would be lost with it.
  let text = file.torn ? '\n' : '';
  let { marks } = file;
  for (const entry of entries) {
    const line = `${entryJson(entry)}\n`;
    text += line;
    marks = withMark(marks, entry, { line, at: size });
  }
  if (marks.size > 0) {
    const repeated = repeatedMarks(marks, size + Buffer.byteLength(text));
    text += repeated.lines;
    marks = repeated.marks;
  }
  const bytes = Buffer.from(text);
  writeWhole(file.fd, bytes, size, write);

  file.torn = false;
  file.marks = marks;
  if (!file.isUnknown) file.knownTo = size;
  file.expectedSize = size + bytes.length;
  for (const { uuid } of entries) if (isName(uuid)) file.uuids.add(uuid);
}

/** The file existed before, or another process writes to it too. */
function noticeOthers(file: OpenFile, size: number): void {
  file.knownTo = Math.min(file.knownTo, size);
  file.isUnknown = size > file.knownTo;
  file.torn = isTorn(file.fd, size);
  file.marks = marksAtEnd(file.fd, size, file.marks);
  file.expectedSize = size;
}

function hasUuid({ uuid }: Entry): boolean {
  return isName(uuid);
}

/** Entries of damaged files may have an empty uuid, which identifies nothing. */
function isName(uuid: unknown): uuid is string {
  return typeof uuid === 'string' && uuid !== '';
}

/** The entries that the file does not contain; parts of the file that are not indexed yet are indexed first. */
function unstored(file: OpenFile, size: number, entries: readonly Entry[]): Entry[] {
  const { uuids } = file;
  if (file.isUnknown) uuids.learn(file.knownTo, size);
  file.isUnknown = false;
  file.knownTo = size;
  const inGroup = new Set<string>();
  return entries.filter(({ uuid }) => {
    if (!isName(uuid)) return true;
    if (inGroup.has(uuid) || uuids.has(uuid)) return false;
    inGroup.add(uuid);
    return true;
  });
}

/** Writes all or nothing: if a full disk cuts the group, the written part is removed. */
export function writeWhole(fd: number, bytes: Buffer, sizeBefore: number, write: WriteBytes): void {
  let written = 0;
  try {
    while (written < bytes.length) written += write(fd, bytes, written);
  } catch (error) {
    // Removes only Heddle's own bytes: if another process appended after them, the half line must stay and readers skip
    // it.
    if (written > 0 && fstatSync(fd).size === sizeBefore + written) ftruncateSync(fd, sizeBefore);
    throw error;
  }
}
