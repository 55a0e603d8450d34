import { readSync } from 'node:fs';
import { MAX_LINE_BYTES } from '../../wire/link/jsonl.ts';

const BLOCK = 64 * 1024;
const LF = 0x0a;

export interface BackwardLine {
  /** Without its newline. Valid until the next line is requested. Null when the line is longer than the cap. */
  bytes: Buffer | null;
  /** Length in bytes, also for a line that was too long to keep. */
  length: number;
  /** The offset in the file at which it begins. */
  offset: number;
  /** False for a last line without a newline. */
  ended: boolean;
}

export interface BackwardOptions {
  /** The offset to begin at: the size of the file, or the offset of a line. */
  end: number;
  blockSize?: number;
  maxBytes?: number;
}

/**
 * The lines of an open file, the last one first. Split at LF bytes, so that a block may begin anywhere, even inside a
 * character. Holds one block and one line at a time.
 *
 * A block of only zero bytes ends a line as a newline does: no record contains one, and the hole that a crashed file
 * system leaves in a file may be larger than the memory.
 */
export function* linesBackwards(fd: number, options: BackwardOptions): Generator<BackwardLine, void> {
  const { end, blockSize = BLOCK, maxBytes = MAX_LINE_BYTES } = options;
  const block = Buffer.allocUnsafe(Math.min(blockSize, Math.max(end, 1)));
  const zeros = Buffer.alloc(block.length);
  const line = new UnfinishedLine(maxBytes);
  for (let to = end; to > 0; ) {
    const from = Math.max(0, to - block.length);
    const bytes = readWhole(fd, block.subarray(0, to - from), from);
    to = from;
    if (bytes.equals(zeros.subarray(0, bytes.length))) {
      if (!line.isEmpty) yield line.complete(NOTHING, from + bytes.length);
      continue;
    }
    let rest = bytes;
    for (let at = rest.lastIndexOf(LF); at >= 0; at = rest.lastIndexOf(LF)) {
      const found = rest.subarray(at + 1);
      rest = rest.subarray(0, at);
      // There is no line after the newline at the end of the file.
      if (line.isEnded || !line.isEmpty || found.length > 0) yield line.complete(found, from + at + 1);
      line.isEnded = true;
    }
    line.keep(rest);
  }
  if (line.isEnded || !line.isEmpty) yield line.complete(NOTHING, 0);
}

const NOTHING = Buffer.alloc(0);

/** A line whose end was read and whose beginning was not. */
class UnfinishedLine {
  readonly #maxBytes: number;
  /** The last one first. */
  #pieces: Buffer[] = [];
  #length = 0;
  isEnded = false;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  /** Copies the piece: the block is overwritten by the next read. */
  keep(piece: Buffer): void {
    if (piece.length === 0) return;
    this.#length += piece.length;
    if (this.#length <= this.#maxBytes) this.#pieces.push(Buffer.from(piece));
    else this.#pieces = [];
  }

  complete(beginning: Buffer, offset: number): BackwardLine {
    const length = this.#length + beginning.length;
    const bytes = length <= this.#maxBytes ? this.#joined(beginning, length) : null;
    const line = { bytes, length, offset, ended: this.isEnded };
    this.#pieces = [];
    this.#length = 0;
    this.isEnded = false;
    return line;
  }

  #joined(beginning: Buffer, length: number): Buffer {
    return this.#pieces.length === 0 ? beginning : Buffer.concat([beginning, ...this.#pieces.reverse()], length);
  }
}

/** Returns the bytes that exist: the file may have become shorter meanwhile. */
function readWhole(fd: number, into: Buffer, position: number): Buffer {
  let length = 0;
  while (length < into.length) {
    const read = readSync(fd, into, length, into.length - length, position + length);
    if (read === 0) break;
    length += read;
  }
  return into.subarray(0, length);
}
