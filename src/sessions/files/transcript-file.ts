import { closeSync, constants, fstatSync, ftruncateSync, openSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeDirectory } from '../util/make-directory.ts';
import type { Entry } from '../wire/entries.ts';
import { entryJson } from './entry-json.ts';
import { marksAtEnd, repeatedMarks, type SessionMarks, withMark } from './session-marks.ts';
import { storageFailed } from './storage-errors.ts';
import type { AppendOptions } from './store.ts';
import { isTorn } from './torn-line.ts';
import { createUuidIndex, type UuidIndex } from './uuid-index.ts';

/** write(2): returns how many bytes were taken. Handed in, so that tests can let it fail. */
export type WriteBytes = (fd: number, bytes: Buffer, offset: number) => number;

export const writeToFile: WriteBytes = (fd, bytes, offset) => writeSync(fd, bytes, offset);

export interface TranscriptFile {
  /**
   * Adds the entries whose uuid is not yet in the file, with one write(2). Returns when the kernel has them, or throws
   * `storage_failed` and leaves the file as it was.
   */
  append(entries: readonly Entry[], options?: AppendOptions): void;
  /** Whether one of its entries has this uuid. */
  has(uuid: string): boolean;
  /** Whether it still is what lies at its path. */
  isInPlace(): boolean;
  /** Opens what lies at the path, or a new file there, and goes on with that. */
  goOnAtPath(steps: { before(old: number): void; bringOver(old: number, next: number): void }): void;
  close(): void;
}

// O_NONBLOCK: opening a FIFO must fail or return, never wait for its other end.
const { O_APPEND, O_CREAT, O_NONBLOCK, O_RDWR } = constants;

/** Opens a transcript for appending; it is created with its folders if need be, private to the user (ruling G8). */
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
    isInPlace: () =>
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
  /** How large the file is if nobody else writes to it. */
  expectedSize: number;
  /** Up to here `uuids` has seen what others wrote. */
  knownTo: number;
  /** Whether others have written behind that. */
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
  // A torn last line stays a line of its own; glued to it, the next entry would be lost with it.
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

/** The file was there before, or another process writes to it too. */
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

/** Entries of damaged files may have an empty uuid, which names nothing. */
function isName(uuid: unknown): uuid is string {
  return typeof uuid === 'string' && uuid !== '';
}

/** The entries that the file does not hold; what is not known of it yet is learnt first. */
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

/** All or nothing: what a full disk let through of the group is taken back. */
export function writeWhole(fd: number, bytes: Buffer, sizeBefore: number, write: WriteBytes): void {
  let written = 0;
  try {
    while (written < bytes.length) written += write(fd, bytes, written);
  } catch (error) {
    // Only our own bytes: if another process appended behind them, the half line must stay and readers pass over it.
    if (written > 0 && fstatSync(fd).size === sizeBefore + written) ftruncateSync(fd, sizeBefore);
    throw error;
  }
}
