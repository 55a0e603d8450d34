import { Channel } from '../../util/channel.ts';
import type { UserInput } from '../../wire/messages/user.ts';

/** Stands in the queue where a trigger of the session itself waits for its turn. */
export const TRIGGER = Symbol('trigger');

/** Stands in the queue for a turn that continues an unfinished one. It says nothing and is never recorded. */
export const CONTINUATION: UserInput = Object.freeze({
  type: 'user' as const,
  message: { role: 'user' as const, content: [] },
  priority: 'now' as const,
});

/**
 * What a session has yet to answer, in order: messages of the host, and at most one mark for triggers. The `priority` of a
 * message decides its position; messages of equal priority keep their order.
 */
export class InputQueue implements AsyncIterable<UserInput | typeof TRIGGER> {
  readonly #queue = new Channel<UserInput | typeof TRIGGER>();

  get isEmpty(): boolean {
    return this.#queue.size === 0;
  }

  /** How many messages wait for an answer. */
  get size(): number {
    return this.#messages(this.#queue.queued()).filter(({ shouldQuery }) => shouldQuery !== false).length;
  }

  push(input: UserInput): void {
    const rank = rankOf(input);
    this.#queue.pushBehind(input, (each) => rankOf(each) <= rank);
  }

  /** Queues the mark for triggers, once. */
  wake(): void {
    if (!this.#queue.queued().includes(TRIGGER)) this.#queue.push(TRIGGER);
  }

  /** The uuids of the queued messages that have one. */
  uuids(): string[] {
    return this.#messages(this.#queue.queued()).flatMap(({ uuid }) => uuid ?? []);
  }

  /** Removes the message with this uuid; empty when none waits. */
  withdraw(uuid: string): UserInput[] {
    const removed = this.#queue.remove((each) => each !== TRIGGER && each.uuid === uuid);
    return removed === undefined || removed === TRIGGER ? [] : [removed];
  }

  /** Takes messages from the front as long as they fit. The mark for triggers moves to the back. */
  takeWhile(fits: (input: UserInput) => boolean): Iterable<UserInput> {
    if (this.#queue.remove((each) => each === TRIGGER) !== undefined) this.#queue.push(TRIGGER);
    return this.#queue.takeWhile((each) => each !== TRIGGER && fits(each)) as Iterable<UserInput>;
  }

  /** Takes all messages that wait. */
  drain(): UserInput[] {
    return this.#messages(this.#queue.drain());
  }

  /** Nothing follows. Queued messages are still delivered. */
  end(): void {
    this.#queue.end();
  }

  [Symbol.asyncIterator](): AsyncIterator<UserInput | typeof TRIGGER, void> {
    return this.#queue[Symbol.asyncIterator]();
  }

  #messages(queued: readonly (UserInput | typeof TRIGGER)[]): UserInput[] {
    return queued.filter((each) => each !== TRIGGER);
  }
}

function rankOf(each: UserInput | typeof TRIGGER): number {
  if (each === TRIGGER) return 1;
  if (each.priority === 'now') return 0;
  return each.priority === 'later' ? 2 : 1;
}
