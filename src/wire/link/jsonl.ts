import { finished, type Readable, type Writable } from 'node:stream';
import { isObject, type JsonObject } from '../../util/json.ts';
import { HeddleError, JsonDecodeError, MessageParseError } from '../errors.ts';

/** The maximum length of a line, in both directions. Heddle's own lines stay far below it. */
export const MAX_LINE_BYTES = 256 * 1024 * 1024;

/**
 * A message may carry its JSON text under this key. A writer then uses the text instead of serialising again;
 * JSON.stringify, key comparisons and consumers do not see a symbol key.
 */
export const RAW_JSON = Symbol.for('heddle.rawJson');

/**
 * One line of protocol, with its newline.
 *
 * @example
 * ```ts
 * process.stdout.write(encodeLine({ type: 'keep_alive' }));
 * ```
 */
export function encodeLine(message: object): string {
  const raw = (message as { [RAW_JSON]?: string })[RAW_JSON];
  return `${raw ?? JSON.stringify(message)}\n`;
}

const LF = 0x0a;
const CR = 0x0d;
const BOM = [0xef, 0xbb, 0xbf];

/**
 * Splits bytes into lines on LF only, however the bytes are chunked, even inside a UTF-8 sequence. (`readline` would
 * also split on U+2028.)
 * - It accepts CRLF and a leading BOM, and skips blank lines.
 * - It stores only the length of a line that is too long, so that the lines after it can still be read.
 *
 * @example
 * ```ts
 * const decoder = new LineDecoder();
 * for await (const chunk of process.stdin) for (const line of decoder.push(chunk)) console.log(parseLine(line));
 * for (const line of decoder.end()) console.log(parseLine(line));
 * ```
 */
export class LineDecoder {
  readonly #maxBytes: number;
  #pieces: Buffer[] = [];
  #pending = 0;
  #lineNumber = 0;

  constructor(options: { maxBytes?: number } = {}) {
    this.#maxBytes = options.maxBytes ?? MAX_LINE_BYTES;
  }

  /** Yields the lines that this chunk completes. */
  *push(chunk: Uint8Array): Generator<Line | OverlongLine, void> {
    const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let from = 0;
    for (let end = bytes.indexOf(LF); end >= 0; end = bytes.indexOf(LF, from)) {
      this.#keep(bytes.subarray(from, end));
      from = end + 1;
      const line = this.#complete();
      if (line) yield line;
    }
    if (from < bytes.length) this.#keep(bytes.subarray(from));
  }

  /** Yields the last line, when the stream ended without a newline. */
  *end(): Generator<Line | OverlongLine, void> {
    const line = this.#pending > 0 ? this.#complete() : null;
    if (line) yield line;
  }

  #keep(piece: Buffer): void {
    this.#pending += piece.length;
    if (this.#pending > this.#maxBytes) this.#pieces = [];
    else this.#pieces.push(piece);
  }

  /** The buffered line, or null when it is blank. */
  #complete(): Line | OverlongLine | null {
    const pieces = this.#pieces;
    const length = this.#pending;
    const number = ++this.#lineNumber;
    this.#pieces = [];
    this.#pending = 0;
    if (length > this.#maxBytes) return { bytes: length, maxBytes: this.#maxBytes, number };
    const text = textOf(pieces, length, { isFirst: number === 1 });
    return text.trim() === '' ? null : { text, number };
  }
}

function textOf(pieces: readonly Buffer[], length: number, { isFirst }: { isFirst: boolean }): string {
  const [first] = pieces;
  let bytes = pieces.length === 1 && first ? first : Buffer.concat(pieces, length);
  if (isFirst && BOM.every((byte, i) => bytes[i] === byte)) bytes = bytes.subarray(3);
  if (bytes[bytes.length - 1] === CR) bytes = bytes.subarray(0, -1);
  return bytes.toString('utf8');
}

export interface Line {
  text: string;
  /** 1-based. */
  number: number;
}

/** A line that was skipped because it is too long. */
export interface OverlongLine {
  bytes: number;
  maxBytes: number;
  number: number;
}

/**
 * The object on a line, or an error that says why the line holds none.
 *
 * @example
 * ```ts
 * const value = parseLine({ text: '{"type":"keep_alive"}', number: 1 });
 * console.log(value instanceof Error ? value.message : value.type);
 * ```
 */
export function parseLine(line: Line | OverlongLine): JsonObject | HeddleError {
  if (!('text' in line)) return tooLong(line);
  let value: unknown;
  try {
    value = JSON.parse(line.text);
  } catch (cause) {
    // The message does not quote the line, because the line may hold anything. The facts have a short preview.
    const facts = { line: line.number, length: line.text.length, preview: line.text.slice(0, 200) };
    return new JsonDecodeError(`line ${line.number} is not JSON (${line.text.length} characters)`, { facts, cause });
  }
  if (isObject(value)) return value;
  const kind = value === null ? 'null' : Array.isArray(value) ? 'an array' : `a ${typeof value}`;
  return new MessageParseError(`line ${line.number} is ${kind}, not an object`, { facts: { line: line.number } });
}

function tooLong({ number, bytes, maxBytes }: OverlongLine): HeddleError {
  const message = `Line ${number} was skipped: it has ${bytes} bytes, and ${maxBytes} is the limit`;
  return new HeddleError('line_too_long', message, { facts: { line: number, bytes, maxBytes } });
}

/**
 * Reads a byte stream as protocol lines. A bad or overlong line is yielded as an error, and reading continues. A stream
 * that is destroyed on this side ends without an error.
 *
 * @example
 * ```ts
 * import { spawn } from 'node:child_process';
 *
 * const agent = spawn('heddle', ['-p', '--output-format', 'stream-json', '--verbose', 'hello']);
 * for await (const line of readLines(agent.stdout)) {
 *   if (line instanceof Error) console.warn(line.message);
 *   else console.log(line.type);
 * }
 * ```
 */
export async function* readLines(
  stream: Readable,
  options: { maxBytes?: number } = {},
): AsyncGenerator<JsonObject | Error, void> {
  const decoder = new LineDecoder(options);
  try {
    for await (const chunk of stream) {
      for (const line of decoder.push(chunk as Buffer)) yield parseLine(line);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_STREAM_PREMATURE_CLOSE') return;
    throw error;
  }
  for (const line of decoder.end()) yield parseLine(line);
}

/** The writer collects lines up to this number of characters, or until the event loop turns. */
const BATCH_CHARS = 64 * 1024;

/**
 * Writes protocol lines, whole and in order.
 * - Lines of one turn of the event loop are written together: a system call for each delta of a long answer would cost
 *   more than all other work on it.
 * - `write` resolves when the stream can take more, so that a slow reader slows the writer down instead of filling its
 *   memory. It rejects once the reader is gone.
 *
 * @example
 * ```ts
 * const writer = new LineWriter(process.stdout);
 * await writer.write({ type: 'keep_alive' });
 * ```
 */
export class LineWriter {
  readonly #stream: Writable;
  #pending = '';
  #scheduled = false;
  #failure: HeddleError | null = null;
  #draining: Promise<void> | null = null;

  constructor(stream: Writable) {
    this.#stream = stream;
    stream.on('error', (cause) => {
      this.#failure ??= new HeddleError('closed', 'The reader of the output is gone', { cause });
    });
  }

  /** Calls `listener` when the far end stops reading (EPIPE) or the stream breaks. */
  onFailure(listener: (error: HeddleError) => void): void {
    this.#stream.on('error', () => this.#failure && listener(this.#failure));
  }

  /** Whether something that was written could not be delivered. The value is final after `flush`. */
  get failed(): boolean {
    // The stream has the error at once; it emits the event a moment later.
    return this.#failure !== null || this.#stream.errored !== null;
  }

  write(message: object): Promise<void> | undefined {
    return this.writeText(encodeLine(message));
  }

  /** Returns undefined while there is room, because most lines need no promise. */
  writeText(text: string): Promise<void> | undefined {
    const broken = this.#failure ?? (this.#isOver() ? new HeddleError('closed', 'The output is closed') : null);
    if (broken) return Promise.reject(broken);
    this.#pending += text;
    if (this.#pending.length >= BATCH_CHARS) this.#handOn();
    else this.#schedule();
    return this.#stream.writableNeedDrain ? this.#drained() : undefined;
  }

  /** Resolves when everything written has been handed to the system, or the reader is gone. */
  async flush(): Promise<void> {
    this.#handOn();
    const stream = this.#stream;
    const settled = stream.writableEnded ? stream.writableFinished : stream.writableLength === 0;
    if (settled || this.#failure || stream.destroyed) return;
    await new Promise<void>((resolve) => {
      if (stream.writableEnded) finished(stream, { readable: false }, () => resolve());
      // The stream calls back after all earlier writes. The 'drain' event would not do: it only follows a write that
      // had to wait.
      else stream.write('', () => resolve());
    });
  }

  /** Writes everything that is buffered, then ends the stream. */
  end(): void {
    this.#handOn();
    this.#stream.end();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#handOn();
    });
  }

  #handOn(): void {
    const text = this.#pending;
    this.#pending = '';
    if (text !== '' && !this.#isOver()) this.#stream.write(text);
  }

  #isOver(): boolean {
    return this.#stream.writableEnded || this.#stream.destroyed;
  }

  #drained(): Promise<void> {
    this.#draining ??= new Promise((resolve, reject) => {
      const stream = this.#stream;
      const done = () => {
        for (const event of ['drain', 'close', 'error', 'finish']) stream.off(event, done);
        this.#draining = null;
        if (this.#failure) reject(this.#failure);
        else if (stream.destroyed && !stream.writableFinished)
          reject(new HeddleError('closed', 'The output was closed'));
        else resolve();
      };
      for (const event of ['drain', 'close', 'error', 'finish']) stream.on(event, done);
    });
    return this.#draining;
  }
}
