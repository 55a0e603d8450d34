import { HeddleError } from '../../wire/errors.ts';

export interface StreamSlot {
  /** Calls `end` when the server is about to end. */
  onEnd(end: () => void): void;
  /** The client is gone. May be called twice. */
  leave(): void;
}

export interface StreamLimits {
  /** Of the process. */
  all: number;
  perToken: number;
}

const LIMITS: StreamLimits = { all: 1000, perToken: 20 };

/** The streams and sockets that are open: how many there may be, and how they end with the server. */
export class OpenStreams {
  readonly #limits: StreamLimits;
  readonly #open = new Map<StreamSlot, { token: string; end: () => void }>();
  #isEnding = false;

  constructor(limits: Partial<StreamLimits> = {}) {
    this.#limits = { ...LIMITS, ...limits };
  }

  get size(): number {
    return this.#open.size;
  }

  /** Throws `quota_exceeded` and `draining`. */
  take(token: string): StreamSlot {
    if (this.#isEnding) {
      const message = 'The server is about to end: come back in a moment, with the number of your last line';
      throw new HeddleError('draining', message, { facts: { retryAfterMs: 1000 } });
    }
    const own = [...this.#open.values()].filter((each) => each.token === token).length;
    if (own >= this.#limits.perToken) throw tooMany('streams of this token', this.#limits.perToken);
    if (this.#open.size >= this.#limits.all) throw tooMany('streams', this.#limits.all);
    const slot: StreamSlot = {
      onEnd: (end) => {
        this.#open.set(slot, { token, end });
      },
      leave: () => {
        this.#open.delete(slot);
      },
    };
    this.#open.set(slot, { token, end: () => {} });
    return slot;
  }

  /** Ends all of them; none can be opened any more. */
  endAll(): void {
    this.#isEnding = true;
    for (const { end } of [...this.#open.values()]) end();
  }
}

const RETRY_MS = 5000;

function tooMany(quota: string, limit: number): HeddleError {
  const message = `There are ${limit} ${quota} already: close one of them`;
  return new HeddleError('quota_exceeded', message, { facts: { quota, limit, retryAfterMs: RETRY_MS } });
}
