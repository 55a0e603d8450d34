import { Channel } from '../util/channel.ts';
import type { JsonObject } from '../util/json.ts';
import { HeddleError } from './errors.ts';
import type { ExitInfo, Transport } from './transport.ts';

/** How many lines may wait for a slow reader before `write` makes the writer wait. */
const HIGH_WATER = 256;

/**
 * Two linked ends in one process: what one writes, the other reads. Lines are handed over by reference, so both sides
 * treat them as read-only. The near end is the client's; the far end is `serve`'s.
 */
export function memoryPair(): { near: MemoryTransport; far: MemoryTransport } {
  const toFar = new Lane();
  const toNear = new Lane();
  const near = new MemoryTransport(toNear, toFar);
  const far = new MemoryTransport(toFar, toNear);
  return { near, far };
}

export class MemoryTransport implements Transport {
  readonly #incoming: Lane;
  readonly #outgoing: Lane;
  #connected = false;
  #closed = false;
  #resolveExit: (exit: ExitInfo) => void = () => {};
  readonly exit: Promise<ExitInfo>;
  #onClose: (() => void | Promise<void>) | null = null;

  constructor(incoming: Lane, outgoing: Lane) {
    this.#incoming = incoming;
    this.#outgoing = outgoing;
    this.exit = new Promise((resolve) => {
      this.#resolveExit = resolve;
    });
  }

  async connect(): Promise<void> {
    this.#connected = true;
  }

  async write(message: JsonObject): Promise<void> {
    if (this.#closed || this.#outgoing.ended) throw new HeddleError('closed', 'The other end no longer reads');
    await this.#outgoing.push(message);
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
    this.#resolveExit({ code: 0, signal: null, stderr: '' });
    return this.exit;
  }

  isReady(): boolean {
    return this.#connected && !this.#closed;
  }

  /** What `close` must end besides the two lanes: the work behind the other end. */
  onClose(end: () => void | Promise<void>): void {
    this.#onClose = end;
  }

  /** The far end tells how its work ended; resolves `exit`. */
  settle(exit: ExitInfo): void {
    this.#resolveExit(exit);
  }
}

/** One direction of a pair: a queue whose `push` waits while the reader is far behind. */
class Lane {
  readonly #channel = new Channel<JsonObject>();
  #room: (() => void)[] = [];

  get ended(): boolean {
    return this.#channel.ended;
  }

  push(message: JsonObject): Promise<void> | void {
    this.#channel.push(message);
    if (this.#channel.size < HIGH_WATER) return;
    return new Promise((resolve) => this.#room.push(resolve));
  }

  end(): void {
    this.#channel.end();
    this.#release();
  }

  async *read(): AsyncGenerator<JsonObject, void> {
    for await (const message of this.#channel) {
      yield message;
      if (this.#channel.size < HIGH_WATER / 2) this.#release();
    }
  }

  #release(): void {
    const waiting = this.#room;
    this.#room = [];
    for (const resolve of waiting) resolve();
  }
}
