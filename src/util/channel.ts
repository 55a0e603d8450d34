/**
 * An unbounded queue between one producer and one consumer: `push` never waits, iterating waits for the next value.
 * After `end`, iteration finishes when the queue is empty; after `fail`, it then throws the error.
 */
export class Channel<T> implements AsyncIterable<T> {
  #values: T[] = [];
  #head = 0;
  #waiting: (() => void) | null = null;
  #ended = false;
  #error: unknown = null;

  get ended(): boolean {
    return this.#ended;
  }

  get size(): number {
    return this.#values.length - this.#head;
  }

  push(value: T): void {
    if (this.#ended) return;
    this.#values.push(value);
    this.#wake();
  }

  /** Inserts a value after the last queued value that may stay before it; in front of all when none may. */
  pushBehind(value: T, mayStayBefore: (queued: T) => boolean): void {
    if (this.#ended) return;
    let at = this.#values.length;
    while (at > this.#head && !mayStayBefore(this.#values[at - 1] as T)) at--;
    this.#values.splice(at, 0, value);
    this.#wake();
  }

  end(): void {
    this.#ended = true;
    this.#wake();
  }

  fail(error: unknown): void {
    if (this.#ended) return;
    this.#error = error;
    this.end();
  }

  /** Takes matching values from the front, without waiting; one at a time, so that a throw loses none. */
  *takeWhile(fits: (value: T) => boolean): Generator<T, void> {
    while (this.size > 0 && fits(this.#values[this.#head] as T)) yield this.#take();
  }

  /** Takes all queued values, without waiting. */
  drain(): T[] {
    const rest = this.queued();
    this.#values = [];
    this.#head = 0;
    return rest;
  }

  /** All queued values, without taking them. */
  queued(): T[] {
    return this.#values.slice(this.#head);
  }

  /** Takes the first queued value that matches, at any position; undefined when none does. */
  remove(fits: (value: T) => boolean): T | undefined {
    const at = this.#values.findIndex((value, index) => index >= this.#head && fits(value));
    return at === -1 ? undefined : this.#values.splice(at, 1)[0];
  }

  /** An object instead of a generator: a queued value costs one promise, and streams have thousands of them. */
  [Symbol.asyncIterator](): AsyncIterator<T, void> {
    return {
      next: () => (this.size > 0 ? Promise.resolve({ value: this.#take(), done: false }) : this.#next()),
      return: () => Promise.resolve({ value: undefined, done: true }),
    };
  }

  async #next(): Promise<IteratorResult<T, void>> {
    while (this.size === 0) {
      if (this.#ended) {
        if (this.#error !== null) throw this.#error;
        return { value: undefined, done: true };
      }
      await new Promise<void>((resolve) => {
        this.#waiting = resolve;
      });
    }
    return { value: this.#take(), done: false };
  }

  /**
   * Uses a head index instead of `shift`, which is linear; taken values are released when they fill half of the array.
   */
  #take(): T {
    const value = this.#values[this.#head] as T;
    this.#head++;
    if (this.#head * 2 >= this.#values.length) {
      this.#values = this.#values.slice(this.#head);
      this.#head = 0;
    }
    return value;
  }

  #wake(): void {
    this.#waiting?.();
    this.#waiting = null;
  }
}
