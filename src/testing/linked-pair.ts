import assert from 'node:assert/strict';
import type { JsonObject } from '../util/json.ts';
import type { Transport } from '../wire/link/transport.ts';

/** A transport under test, with functions that drive it from its other end. */
export interface LinkedPair {
  /** The transport under test, not yet connected. */
  near: Transport;
  /** Its other end. Called once, after `near` has connected. */
  accept(): Promise<Transport>;
  /** Sends bytes to `near`, unchanged. Leave it out when lines do not travel as bytes. */
  sendBytes?(bytes: Uint8Array): Promise<void>;
  /** Makes the far end die: `near.exit` reports this code and this stderr. Leave it out when it has no exit code. */
  crash?(code: number, stderr: string): Promise<void>;
  /** Frees the other resources of the pair. */
  dispose?(): Promise<void>;
}

export type MakePair = () => Promise<LinkedPair>;

export interface OpenPair extends LinkedPair {
  far: Transport;
}

export type PairCheck = (pair: OpenPair) => Promise<void>;

/** Runs a check on a fresh pair, connected at both ends, and always closes it. */
export async function withOpenPair(makePair: MakePair, check: PairCheck): Promise<void> {
  const pair = await makePair();
  const closers = [() => pair.near.close()];
  try {
    await soon(pair.near.connect(), 'connect');
    const far = await soon(pair.accept(), 'the far end');
    closers.push(() => far.close());
    await far.connect();
    await check({ ...pair, far });
  } finally {
    await soon(Promise.allSettled(closers.map((close) => close())), 'closing both ends');
    await pair.dispose?.();
  }
}

/** Settles as the promise does; rejects when that takes too long, so that a broken transport fails instead of hanging. */
export async function soon<T>(promise: PromiseLike<T>, what: string, ms = 8000): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new assert.AssertionError({ message: `${what} did not come in ${ms} ms` })), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Reads a transport line by line. */
export class LineReader {
  readonly #lines: AsyncIterator<JsonObject | Error>;

  constructor(transport: Transport) {
    this.#lines = transport.readMessages()[Symbol.asyncIterator]();
  }

  /** The next line; fails when there is none, or when it cannot be read. */
  async line(): Promise<JsonObject> {
    const next = await this.item();
    assert.ok(!(next instanceof Error), `a line could not be read: ${next}`);
    return next;
  }

  async item(): Promise<JsonObject | Error> {
    const next = await soon(this.#lines.next(), 'a line');
    assert.ok(!next.done, 'the stream ended where a line was expected');
    return next.value;
  }

  /** The next `count` lines. */
  async lines(count: number): Promise<JsonObject[]> {
    const lines: JsonObject[] = [];
    while (lines.length < count) lines.push(await this.line());
    return lines;
  }

  /** All lines until the stream ends. */
  async rest(): Promise<(JsonObject | Error)[]> {
    const items: (JsonObject | Error)[] = [];
    for (;;) {
      const next = await soon(this.#lines.next(), 'the end of the stream');
      if (next.done) return items;
      items.push(next.value);
    }
  }
}
