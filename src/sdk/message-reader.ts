import type { MessageLog, SequencedMessage } from './message-log.ts';

export interface ReaderOptions<T> {
  /** The log and the first number to read. Called when the reading begins; a throw reaches the reader. */
  open(): { log: MessageLog; from: number };
  /** Converts a message for the reader. */
  show(item: SequencedMessage): T;
  /** Whether this message is the last one. */
  isLast?(item: SequencedMessage): boolean;
  /** Called when the reading ends for any reason, with the number of the next message. */
  onLeave?(next: number): void;
}

/**
 * One reader of a message log, for `for await`. An object instead of a generator: its `return` also ends a `next` that
 * waits for a message, which may never come.
 */
export function readMessages<T>(options: ReaderOptions<T>): AsyncGenerator<T, void> {
  const left = new AbortController();
  let place: { log: MessageLog; seq: number } | null = null;

  async function next(): Promise<IteratorResult<T, void>> {
    if (left.signal.aborted) return { value: undefined, done: true };
    try {
      const { log, seq } = enter();
      const message = await log.at(seq, left.signal);
      if (message === null) return leave();
      const item = { seq, message };
      if (options.isLast?.(item)) leave();
      return { value: options.show(item), done: false };
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** Two concurrent calls of `next` get two messages. */
  function enter(): { log: MessageLog; seq: number } {
    if (!place) {
      const { log, from } = options.open();
      place = { log, seq: Math.max(1, from) };
    }
    return { log: place.log, seq: place.seq++ };
  }

  function leave(): { value: undefined; done: true } {
    if (!left.signal.aborted) {
      left.abort();
      if (place) options.onLeave?.(Math.min(place.seq, place.log.next));
    }
    return { value: undefined, done: true };
  }

  return {
    next,
    return: async () => leave(),
    async throw(error: unknown) {
      leave();
      throw error;
    },
    [Symbol.asyncIterator]() {
      return this;
    },
    async [Symbol.asyncDispose]() {
      leave();
    },
  };
}
