import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { Entry } from '../../wire/entries.ts';
import { type ByteLine, ByteLines } from '../files/byte-lines.ts';
import { recordsOfLine } from '../files/line-records.ts';
import { isMissing, sessionUnreadable } from '../storage-errors.ts';
import type { Loaded } from '../store.ts';
import { type StoredSession, storedSession } from '../stored/stored-session.ts';
import { leanRecords } from './lean-records.ts';

/** The place of an entry in the file: its line, and its number among the records of that line. */
interface EntryPlace {
  offset: number;
  length: number;
  line: number;
  at: number;
}

export interface Progress {
  /** Bytes that were read. */
  read: number;
  /** Bytes of the file. */
  size: number;
}

const BLOCK = 1024 * 1024;
const MAX_TORN_LINE = 64 * 1024 * 1024;

/**
 * An index of a session file by byte offsets. The file only grows, so `refresh` continues where the last one ended; a
 * file that was replaced or became shorter is read again from its beginning.
 */
export class SessionIndex {
  readonly #found: { sessionId: string; path: string };
  #loaded: Loaded[] = [];
  #places = new Map<Entry, EntryPlace>();
  #lines = 0;
  #at = 0;
  #file = '';
  #torn: Loaded[] = [];
  #tornBytes = 0;
  #session: StoredSession | null = null;
  #reading: Promise<boolean> | null = null;
  /** Counts up each time when the file had to be read from its beginning. */
  life = 0;
  progress: Progress = { read: 0, size: 0 };

  constructor(found: { sessionId: string; path: string }) {
    this.#found = found;
  }

  /** The session as far as it was read, with its texts cut. */
  get session(): StoredSession {
    this.#session ??= storedSession(this.#found, [...this.#loaded, ...this.#torn]);
    return this.#session;
  }

  /** Reads what came since. Resolves with whether there was something. Rejects with `session_unreadable`. */
  refresh(): Promise<boolean> {
    this.#reading ??= this.#refresh().finally(() => {
      this.#reading = null;
    });
    return this.#reading;
  }

  /** The entry as it is stored. Rejects with `session_unreadable` when the file has changed. */
  async whole(entry: Entry): Promise<Entry> {
    const place = this.#places.get(entry);
    if (!place) return entry;
    const { path } = this.#found;
    const file = await openFile(path);
    try {
      const bytes = file && (await readAt(file, Buffer.allocUnsafe(place.length), place.offset));
      const records = bytes ? recordsOfLine({ bytes, length: place.length, number: place.line, ended: true }) : [];
      const record = records[place.at];
      if (record && 'entry' in record) return record.entry;
    } finally {
      await file?.close();
    }
    throw sessionUnreadable(path, new Error('it was changed while it was read'));
  }

  /** The bytes of an entry in the file. */
  sizeOf(entry: Entry): number {
    return this.#places.get(entry)?.length ?? 0;
  }

  async #refresh(): Promise<boolean> {
    const file = await openFile(this.#found.path);
    if (!file) return this.#isReset('');
    try {
      const { size, ino, dev } = await file.stat();
      const isNew = this.#isReset(`${dev}:${ino}`, size);
      this.progress = { read: this.#at, size };
      if (size === this.#at + this.#tornBytes && !isNew) return false;
      await this.#readOn(file, size);
      this.#session = null;
      return true;
    } catch (error) {
      throw sessionUnreadable(this.#found.path, error);
    } finally {
      await file.close();
    }
  }

  /** Forgets everything when it is another file, or a shorter one. */
  #isReset(file: string, size = 0): boolean {
    if (file === this.#file && size >= this.#at) return false;
    const hadSome = this.#file !== '';
    this.#file = file;
    [this.#loaded, this.#torn, this.#places] = [[], [], new Map()];
    [this.#lines, this.#at, this.#tornBytes] = [0, 0, 0];
    this.#session = null;
    if (hadSome) this.life++;
    return hadSome || file !== '';
  }

  async #readOn(file: FileHandle, size: number): Promise<void> {
    const block = Buffer.allocUnsafe(Math.min(BLOCK, Math.max(size - this.#at, 1)));
    const lines = new ByteLines();
    const firstLine = this.#lines;
    let tornFrom = this.#at;
    for (let from = this.#at; from < size; ) {
      const bytes = await readAt(file, block.subarray(0, Math.min(block.length, size - from)), from);
      if (bytes.length === 0) break;
      from += bytes.length;
      for (const line of lines.push(bytes)) {
        this.#take(line, firstLine);
        tornFrom = this.#at;
      }
      this.progress = { read: from, size };
    }
    this.#tornBytes = size - tornFrom;
    this.#torn = this.#tornBytes === 0 ? [] : await this.#tornEnd(file, tornFrom);
  }

  #take(line: ByteLine, firstLine: number): void {
    const numbered = { ...line, number: firstLine + line.number };
    for (const [at, record] of leanRecords(numbered).entries()) {
      this.#loaded.push(record);
      const place = { offset: this.#at, length: line.length, line: numbered.number, at };
      if ('entry' in record) this.#places.set(record.entry, place);
    }
    this.#lines = numbered.number;
    this.#at += line.length + 1;
  }

  /** A last line without a newline: it is read again when it has grown. */
  async #tornEnd(file: FileHandle, from: number): Promise<Loaded[]> {
    const length = this.#tornBytes;
    const bytes = length > MAX_TORN_LINE ? null : await readAt(file, Buffer.allocUnsafe(length), from);
    return leanRecords({ bytes, length, number: this.#lines + 1, ended: false }).map((record, at) => {
      if ('entry' in record) this.#places.set(record.entry, { offset: from, length, line: this.#lines + 1, at });
      return record;
    });
  }
}

/** Null when there is no such file. */
async function openFile(path: string): Promise<FileHandle | null> {
  try {
    // O_NONBLOCK: opening a FIFO without a writer returns at once instead of blocking.
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    if ((await file.stat()).isFile()) return file;
    await file.close();
    throw new Error('it is not a regular file');
  } catch (error) {
    if (isMissing(error)) return null;
    throw sessionUnreadable(path, error);
  }
}

async function readAt(file: FileHandle, block: Buffer, from: number): Promise<Buffer> {
  for (let filled = 0; ; ) {
    const { bytesRead } = await file.read(block, filled, block.length - filled, from + filled);
    filled += bytesRead;
    if (bytesRead === 0 || filled === block.length) return block.subarray(0, filled);
  }
}
