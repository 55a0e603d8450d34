import { MAX_LINE_BYTES } from '../../wire/link/jsonl.ts';

const LF = 0x0a;

export interface ByteLine {
  /** Without its newline. Valid until the next `push`. Null when the line is longer than the cap. */
  bytes: Buffer | null;
  /** Length in bytes, also for a line that was too long to keep. */
  length: number;
  /** 1-based. */
  number: number;
  /** False for the last line of a file that does not end in a newline. */
  ended: boolean;
}

/**
 * Splits blocks of a file into lines at LF bytes, so that a block may end anywhere, even inside a character. Unlike the
 * protocol's decoder it keeps raw bytes (damage in a transcript is measured in them) and skips an overlong line instead
 * of failing. The caller may reuse the block after each `push`.
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

  /** The last line, when no newline ends it. */
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
