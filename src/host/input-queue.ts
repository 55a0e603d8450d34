import { Channel } from '../util/channel.ts';
import type { UserInput } from '../wire/messages/user.ts';

/** Stands in the queue where something of the session's own work waits to be told. */
export const NEWS = Symbol('news');

/**
 * What a session has yet to answer, in order: messages of the host, and at most one mark for its own news. A message
 * says by its `priority` before or behind which others it is; among equals, first come is first served.
 */
export class InputQueue implements AsyncIterable<UserInput | typeof NEWS> {
  readonly #queue = new Channel<UserInput | typeof NEWS>();

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

  /** There are news: a turn for them begins when those before it are over. */
  wake(): void {
    if (!this.#queue.queued().includes(NEWS)) this.#queue.push(NEWS);
  }

  /** The messages that wait, as far as they have a uuid to be told by. */
  uuids(): string[] {
    return this.#messages(this.#queue.queued()).flatMap(({ uuid }) => uuid ?? []);
  }

  /** Takes one message back; nothing when none with this uuid waits. */
  withdraw(uuid: string): UserInput[] {
    const found = this.#queue.remove((each) => each !== NEWS && each.uuid === uuid);
    return found === undefined || found === NEWS ? [] : [found];
  }

  /** Takes messages from the front as long as they fit. News wait for a turn of their own and are in nobody's way. */
  takeWhile(fits: (input: UserInput) => boolean): Iterable<UserInput> {
    if (this.#queue.remove((each) => each === NEWS) !== undefined) this.#queue.push(NEWS);
    return this.#queue.takeWhile((each) => each !== NEWS && fits(each)) as Iterable<UserInput>;
  }

  /** Takes all messages that wait. */
  drain(): UserInput[] {
    return this.#messages(this.#queue.drain());
  }

  /** Nothing follows; what waits is still given out. */
  end(): void {
    this.#queue.end();
  }

  [Symbol.asyncIterator](): AsyncIterator<UserInput | typeof NEWS, void> {
    return this.#queue[Symbol.asyncIterator]();
  }

  #messages(queued: readonly (UserInput | typeof NEWS)[]): UserInput[] {
    return queued.filter((each) => each !== NEWS);
  }
}

function rankOf(each: UserInput | typeof NEWS): number {
  if (each === NEWS) return 1;
  if (each.priority === 'now') return 0;
  return each.priority === 'later' ? 2 : 1;
}
