import { MAX_LINE_BYTES } from '../wire/jsonl.ts';

const LF = 0x0a;

export interface ByteLine {
  /** Without its newline. Valid until the next `push`. Null when the line is longer than the cap. */
  bytes: Buffer | null;
  /** Length in bytes, also of a line that was too long to keep. */
  length: number;
  /** 1-based. */
  number: number;
  /** False for the last line of a file that does not end in a newline. */
  ended: boolean;
}

/**
 * Cuts blocks of a file into lines on LF bytes, so that a block may end anywhere, also inside a character. Unlike the
 * protocol's decoder it keeps raw bytes (a transcript's damage is measured in them) and passes over an overlong line
 * instead of giving up. The block may be reused by the caller after each `push`.
 */
export class ByteLines {
  readonly #maxBytes: number;
  #pieces: Buffer[] = [];
  #pending = 0;
  #number = 0;

  constructor(options: { maxBytes?: number } = {}) {
    this.#maxBytes = options.maxBytes ?? MAX_LINE_BYTES;
  }

  *push(block: Buffer): Generator<ByteLine, void> {
    let from = 0;
    for (let end = block.indexOf(LF); end >= 0; end = block.indexOf(LF, from)) {
      const rest = block.subarray(from, end);
      from = end + 1;
      yield this.#complete(rest, true);
    }
    if (from < block.length) this.#keep(block.subarray(from));
  }

  /** The last line, when there was no newline after it. */
  *end(): Generator<ByteLine, void> {
    if (this.#pending > 0) yield this.#complete(Buffer.alloc(0), false);
  }

  #keep(piece: Buffer): void {
    this.#pending += piece.length;
    if (this.#pending <= this.#maxBytes) this.#pieces.push(Buffer.from(piece));
    else this.#pieces = [];
  }

  #complete(rest: Buffer, ended: boolean): ByteLine {
    const length = this.#pending + rest.length;
    const bytes = length > this.#maxBytes ? null : this.#join(rest, length);
    this.#pieces = [];
    this.#pending = 0;
    this.#number++;
    return { bytes, length, number: this.#number, ended };
  }

  #join(rest: Buffer, length: number): Buffer {
    return this.#pieces.length === 0 ? rest : Buffer.concat([...this.#pieces, rest], length);
  }
}
