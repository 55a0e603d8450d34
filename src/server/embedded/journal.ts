import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCode } from '../../util/error-code.ts';
import { makeDirectory } from '../../util/files/make-directory.ts';
import { isObject, type JsonObject, tryParseJson } from '../../util/json.ts';
import { messageOf } from '../../util/message-of.ts';
import { oneAtATime } from '../../util/one-at-a-time.ts';
import { HeddleError } from '../../wire/errors.ts';

/**
 * A file of JSON lines that only grows. A group of lines is one write, so that it is on disk as a whole or not at all: what
 * a write that failed, or a process that died, has left of a group is cut off.
 */
export class Journal {
  readonly path: string;
  readonly #inTurn = oneAtATime();
  readonly #sync: boolean;
  #file: FileHandle | null = null;
  #size = -1;
  /** The end of the file may hold a part of a group. */
  #isTorn = false;

  /** `sync`: a group also survives the death of the machine. */
  constructor(path: string, { sync = false } = {}) {
    this.path = path;
    this.#sync = sync;
  }

  /** The text of all whole lines. Empty when there is no file. */
  read(): Promise<string> {
    return this.#inTurn(async () => {
      const file = await this.#opened({ isNew: false });
      if (!file) return '';
      const buffer = Buffer.alloc(this.#size);
      let length = 0;
      while (length < buffer.length) {
        const { bytesRead } = await file.read(buffer, length, buffer.length - length, length);
        if (bytesRead === 0) break;
        length += bytesRead;
      }
      return buffer.subarray(0, length).toString('utf8');
    });
  }

  async rows(): Promise<JsonObject[]> {
    return parsedRows(await this.read());
  }

  /** The bytes from here to there. */
  slice(from: number, to: number): Promise<Buffer> {
    return this.#inTurn(async () => {
      const buffer = Buffer.alloc(to - from);
      const file = await this.#opened({ isNew: false });
      const { bytesRead } = (await file?.read(buffer, 0, buffer.length, from)) ?? { bytesRead: 0 };
      return buffer.subarray(0, bytesRead);
    });
  }

  /** The size behind the last whole line. */
  get size(): number {
    return Math.max(0, this.#size);
  }

  append(rows: readonly JsonObject[]): Promise<void> {
    return this.appendText(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  }

  /** Whole lines. Rejects with `storage_failed`; then nothing of them is in the file. */
  appendText(text: string): Promise<void> {
    return this.#inTurn(async () => {
      try {
        const file = await this.#opened({ isNew: true });
        if (!file) return;
        const bytes = Buffer.from(text);
        this.#isTorn = true;
        await writeWhole(file, bytes, this.#size);
        if (this.#sync) await file.datasync();
        this.#isTorn = false;
        this.#size += bytes.length;
      } catch (error) {
        await this.#mend();
        throw failed(this.path, error);
      }
    });
  }

  /** It opens again when it is used. */
  close(): Promise<void> {
    return this.#inTurn(async () => {
      const file = this.#file;
      this.#file = null;
      await file?.close();
    });
  }

  async #opened({ isNew }: { isNew: boolean }): Promise<FileHandle | null> {
    if (!this.#file) {
      this.#file = await openFile(this.path, { isNew });
      if (!this.#file) return null;
      this.#size = await endOfLines(this.#file);
      this.#isTorn = true;
    }
    await this.#mend();
    return this.#file;
  }

  /** Cuts off what is behind the last whole line. */
  async #mend(): Promise<void> {
    if (!this.#isTorn || !this.#file || this.#size < 0) return;
    const { size } = await this.#file.stat();
    if (size > this.#size) await this.#file.truncate(this.#size);
    this.#isTorn = false;
  }
}

/** Rows that are no objects are skipped: damage costs the damaged line only. */
export function parsedRows(text: string): JsonObject[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map(tryParseJson)
    .filter(isObject);
}

async function openFile(path: string, { isNew }: { isNew: boolean }): Promise<FileHandle | null> {
  try {
    return await open(path, 'r+', 0o600);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw failed(path, error);
    if (!isNew) return null;
  }
  makeDirectory(dirname(path), 0o700);
  return open(path, 'wx+', 0o600);
}

async function writeWhole(file: FileHandle, bytes: Buffer, at: number): Promise<void> {
  let done = 0;
  while (done < bytes.length) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, at + done);
    done += bytesWritten;
  }
}

const PIECE = 64 * 1024;

/** Where the last whole line ends. */
async function endOfLines(file: FileHandle): Promise<number> {
  let { size: end } = await file.stat();
  while (end > 0) {
    const from = Math.max(0, end - PIECE);
    const buffer = Buffer.alloc(end - from);
    await file.read(buffer, 0, buffer.length, from);
    const at = buffer.lastIndexOf(0x0a);
    if (at >= 0) return from + at + 1;
    end = from;
  }
  return 0;
}

function failed(path: string, cause: unknown): HeddleError {
  const message = `${path} cannot be written: ${messageOf(cause)}. Nothing of it was acknowledged: mend that and send it again.`;
  return new HeddleError('storage_failed', message, { facts: { path, code: errorCode(cause) }, cause });
}
