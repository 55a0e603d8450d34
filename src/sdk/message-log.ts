import { HeddleError } from '../wire/errors.ts';
import type { SDKMessage } from '../wire/messages/sdk.ts';
import type { MessageSink } from './connection.ts';

/** A message with its number. The first message of the connection has number 1; the numbers have no gaps. */
export interface SequencedMessage {
  seq: number;
  message: SDKMessage;
}

/**
 * The last messages of a connection, stored once for all readers. A reader is only a position in the log, so any number
 * of them costs nothing, and none delays another or the agent. A reader that falls behind by more than the log holds
 * gets `fell_behind` and can begin again at the oldest stored message.
 */
export class MessageLog implements MessageSink {
  readonly #size: number;
  /** Message n is in slot n modulo the size. */
  readonly #slots: SDKMessage[] = [];
  readonly #waiting = new Set<() => void>();
  #next = 1;
  #ended = false;
  #error: Error | null = null;

  constructor(size: number) {
    this.#size = size;
  }

  /** The number of the next message. */
  get next(): number {
    return this.#next;
  }

  /** The number of the oldest stored message. */
  get oldest(): number {
    return Math.max(1, this.#next - this.#size);
  }

  get ended(): boolean {
    return this.#ended;
  }

  push(message: SDKMessage): void {
    if (this.#ended) return;
    this.#slots[this.#next++ % this.#size] = message;
    this.#wake();
  }

  end(): void {
    this.#ended = true;
    this.#wake();
  }

  fail(error: Error): void {
    if (this.#ended) return;
    this.#error = error;
    this.end();
  }

  /**
   * The message of that number, or null after the end. Waits for the message. Throws the error of a failed connection.
   */
  async at(seq: number, signal: AbortSignal): Promise<SDKMessage | null> {
    while (seq >= this.#next && !signal.aborted) {
      if (this.#error) throw this.#error;
      if (this.#ended) return null;
      await this.#nextMessage(signal);
    }
    if (signal.aborted) return null;
    if (seq < this.oldest) throw fellBehind(seq, this.oldest);
    return this.#slots[seq % this.#size] ?? null;
  }

  #nextMessage(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        this.#waiting.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      this.#waiting.add(wake);
      signal.addEventListener('abort', wake, { once: true });
    });
  }

  #wake(): void {
    for (const wake of [...this.#waiting]) wake();
  }
}

function fellBehind(wanted: number, oldest: number): HeddleError {
  const message = `Message ${wanted} is not kept any more: read faster, or subscribe again from ${oldest} on`;
  return new HeddleError('fell_behind', message, { facts: { wanted, oldest } });
}
