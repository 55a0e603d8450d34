import { Channel } from '../../util/channel.ts';
import type { JsonObject } from '../../util/json.ts';
import { HeddleError } from '../errors.ts';
import type { ExitInfo, Transport } from './transport.ts';

/** How many lines may wait for a slow reader before `write` makes the writer wait. */
const HIGH_WATER = 256;

/**
 * Two linked ends in one process: each reads the lines that the other writes. Lines are passed by reference, so both
 * sides treat them as read-only. The client has the near end, `serve` the far end; `onSend` is called with each line at
 * the moment when the client sends it.
 */
export function memoryPair({ onSend }: { onSend?(line: JsonObject): void } = {}): {
  near: MemoryTransport;
  far: MemoryTransport;
} {
  const toFar = new Lane(onSend);
  const toNear = new Lane();
  const near: MemoryTransport = new MemoryTransport(toNear, toFar, () => far.settle(CLEAN_EXIT));
  const far: MemoryTransport = new MemoryTransport(toFar, toNear, () => near.settle(CLEAN_EXIT));
  return { near, far };
}

const CLEAN_EXIT: ExitInfo = { code: 0, signal: null, stderr: '' };

export class MemoryTransport implements Transport {
  readonly #incoming: Lane;
  readonly #outgoing: Lane;
  readonly #tellOther: () => void;
  #connected = false;
  #closed = false;
  #resolveExit: (exit: ExitInfo) => void = () => {};
  readonly exit: Promise<ExitInfo>;
  #onClose: (() => void | Promise<void>) | null = null;

  /** `tellOther` informs the other end that this end is gone. */
  constructor(incoming: Lane, outgoing: Lane, tellOther: () => void) {
    this.#incoming = incoming;
    this.#outgoing = outgoing;
    this.#tellOther = tellOther;
    this.exit = new Promise((resolve) => {
      this.#resolveExit = resolve;
    });
  }

  async connect(): Promise<void> {
    this.#connected = true;
  }

  write(message: JsonObject): Promise<void> | undefined {
    if (this.#closed || this.#outgoing.ended) {
      return Promise.reject(new HeddleError('closed', 'The other end no longer reads'));
    }
    return this.#outgoing.push(message);
  }

  readMessages(): AsyncIterable<JsonObject | Error> {
    return this.#incoming.read();
  }

  endInput(): void {
    this.#outgoing.end();
  }

  async close(): Promise<ExitInfo> {
    this.#closed = true;
    this.#outgoing.end();
    this.#incoming.end();
    await this.#onClose?.();
    this.#tellOther();
    this.settle(CLEAN_EXIT);
    return this.exit;
  }

  isReady(): boolean {
    return this.#connected && !this.#closed;
  }

  /** Registers work at the other end that `close` must end in addition to the two lanes. */
  onClose(end: () => void | Promise<void>): void {
    this.#onClose = end;
  }

  /** The far end reports how its work ended, which resolves `exit`. */
  settle(exit: ExitInfo): void {
    this.#resolveExit(exit);
  }
}

/** One direction of a pair: a queue whose `push` waits while the reader is far behind. */
class Lane {
  readonly #channel = new Channel<JsonObject>();
  readonly #onSend: ((line: JsonObject) => void) | undefined;
  #room: (() => void)[] = [];

  constructor(onSend?: (line: JsonObject) => void) {
    this.#onSend = onSend;
  }

  get ended(): boolean {
    return this.#channel.ended;
  }

  /** Returns undefined when there is room, because most lines need no promise. */
  push(message: JsonObject): Promise<void> | undefined {
    this.#onSend?.(message);
    this.#channel.push(message);
    if (this.#channel.size < HIGH_WATER) return undefined;
    return new Promise((resolve) => this.#room.push(resolve));
  }

  end(): void {
    this.#channel.end();
    this.#release();
  }

  read(): AsyncIterable<JsonObject> {
    const queue = this.#channel[Symbol.asyncIterator]();
    const next = () => {
      if (this.#room.length > 0 && this.#channel.size < HIGH_WATER / 2) this.#release();
      return queue.next();
    };
    const leave = async (): Promise<IteratorResult<JsonObject, void>> => {
      this.end(); // the reader is gone: the writer must not wait
      return { value: undefined, done: true };
    };
    return { [Symbol.asyncIterator]: () => ({ next, return: leave }) };
  }

  #release(): void {
    const waiting = this.#room;
    this.#room = [];
    for (const resolve of waiting) resolve();
  }
}
