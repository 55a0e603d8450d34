import { madeOnce } from '../../util/made-once.ts';

/** A service that many sessions never need. The first `open` makes it. */
export interface Lazy<T> {
  /** Null until it has been opened. */
  readonly current: T | null;
  /** Makes it the first time. A failed attempt is forgotten, so that the next call tries again. */
  open(): Promise<T>;
}

/**
 * A `Lazy` whose loader is set after it was made, because the loader needs things that do not exist yet. The code that
 * opens a session sets each loader, once.
 */
export class Late<T> implements Lazy<T> {
  #current: T | null = null;
  #load: (() => Promise<T>) | null = null;
  readonly #make = madeOnce(async () => {
    if (!this.#load) throw new Error('It was opened before it had a loader');
    this.#current = await this.#load();
    return this.#current;
  });

  get current(): T | null {
    return this.#current;
  }

  /** Whether `open` was called, even if the service is not made yet. */
  get isBegun(): boolean {
    return this.#make.begun() !== null;
  }

  loadWith(load: () => Promise<T>): void {
    if (this.#load) throw new Error('It has a loader already');
    this.#load = load;
  }

  open(): Promise<T> {
    return this.#make();
  }
}
