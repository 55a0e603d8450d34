/**
 * An unbounded queue between one producer and one consumer: `push` never waits, iterating waits for the next value.
 * After `end`, iteration finishes when the queue is empty; after `fail`, it throws the error then.
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

  end(): void {
    this.#ended = true;
    this.#wake();
  }

  fail(error: unknown): void {
    if (this.#ended) return;
    this.#error = error;
    this.end();
  }

  /** Takes what is queued right now, without waiting. */
  drain(): T[] {
    const rest = this.#values.slice(this.#head);
    this.#values = [];
    this.#head = 0;
    return rest;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void> {
    for (;;) {
      if (this.size > 0) {
        yield this.#take();
        continue;
      }
      if (this.#ended) {
        if (this.#error !== null) throw this.#error;
        return;
      }
      await new Promise<void>((resolve) => {
        this.#waiting = resolve;
      });
    }
  }

  /** A head index instead of `shift`, which is linear; the array starts anew whenever it has been emptied. */
  #take(): T {
    const value = this.#values[this.#head] as T;
    this.#head++;
    if (this.#head === this.#values.length) {
      this.#values = [];
      this.#head = 0;
    }
    return value;
  }

  #wake(): void {
    this.#waiting?.();
    this.#waiting = null;
  }
}
