interface Bucket {
  left: number;
  at: number;
}

/** With more keys than this, those that are full again are forgotten. */
const MOST_KEYS = 10_000;

/** So many at once, and so many per second after that, for each key. */
export class RateLimit {
  readonly #rate: { perSecond: number; burst: number };
  readonly #now: () => number;
  readonly #buckets = new Map<string, Bucket>();

  constructor(rate: { perSecond: number; burst: number }, now: () => number) {
    this.#rate = rate;
    this.#now = now;
  }

  /** 0: there was room, and it is taken. Else how many milliseconds to wait. */
  take(key: string): number {
    const bucket = this.#bucket(key);
    const waitMs = this.#waitOf(bucket);
    if (waitMs === 0) bucket.left--;
    return waitMs;
  }

  /** Like `take`, but takes nothing. */
  peek(key: string): number {
    return this.#buckets.has(key) ? this.#waitOf(this.#bucket(key)) : 0;
  }

  #waitOf({ left }: Bucket): number {
    return left >= 1 ? 0 : Math.ceil(((1 - left) / this.#rate.perSecond) * 1000);
  }

  #bucket(key: string): Bucket {
    const { perSecond, burst } = this.#rate;
    const now = this.#now();
    const known = this.#buckets.get(key);
    if (known) {
      known.left = Math.min(burst, known.left + ((now - known.at) / 1000) * perSecond);
      known.at = now;
      return known;
    }
    if (this.#buckets.size >= MOST_KEYS) this.#forget(now);
    const bucket = { left: burst, at: now };
    this.#buckets.set(key, bucket);
    return bucket;
  }

  #forget(now: number): void {
    const { perSecond, burst } = this.#rate;
    for (const [key, { left, at }] of this.#buckets) {
      if (left + ((now - at) / 1000) * perSecond >= burst) this.#buckets.delete(key);
    }
  }
}
