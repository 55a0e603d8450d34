import { type JsonObject, stringField } from '../util/json.ts';
import { HeddleError } from '../wire/errors.ts';
import type { SDKResultMessage } from '../wire/messages/sdk.ts';
import { FailedResultError } from './failed-result.ts';
import { refusalIn, takenBack } from './message-fate.ts';

interface Waiting {
  resolve(result: SDKResultMessage): void;
  reject(error: Error): void;
  /**
   * The turn of the message has begun, or the message joined a running turn: the next result answers it, even if the
   * result does not name it.
   */
  isStarted: boolean;
}

/**
 * The callers that wait for the answers to their messages. It reads every message of the agent, independent of other
 * readers.
 */
export class Asks {
  readonly #waiting = new Map<string, Waiting>();
  /** The last result that answered no message. A session that cannot be opened reports the reason in such a result. */
  #unclaimed: SDKResultMessage | null = null;

  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  /** Called before the message is sent. Rejects when the agent refuses or cancels the message, or the session fails. */
  expect(uuid: string): Promise<SDKResultMessage> {
    const answer = new Promise<SDKResultMessage>((resolve, reject) => {
      this.#waiting.set(uuid, { resolve, reject, isStarted: false });
    });
    answer.catch(() => {}); // the send may fail before the caller awaits this
    return answer;
  }

  /** The message was not sent. */
  forget(uuid: string): void {
    this.#waiting.delete(uuid);
  }

  observe(message: object): void {
    const { type } = message as JsonObject;
    if (type === 'result') this.#answer(message as SDKResultMessage);
    if (type === 'command_lifecycle') this.#follow(message);
    const refused = refusalIn(message);
    if (refused) this.#take(refused.uuid)?.reject(refused.error);
  }

  /** The agent has ended. */
  end(): void {
    const result = this.#unclaimed;
    const ended = new HeddleError('closed', 'The session ended before it had answered the message');
    this.fail(result?.is_error ? new FailedResultError(result) : ended);
  }

  /** The connection is broken; no more messages arrive. */
  fail(error: Error): void {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }

  #answer(result: SDKResultMessage): void {
    const named = result.user_message_uuids;
    const started = [...this.#waiting].filter(([, { isStarted }]) => isStarted).map(([uuid]) => uuid);
    // An agent whose results do not name messages answers in the order of the questions.
    const [oldest] = this.#waiting.keys();
    const unnamed = named === undefined && started.length === 0 && oldest !== undefined ? [oldest] : started;
    const answered = [...(named ?? []), ...unnamed].flatMap((uuid) => this.#take(uuid) ?? []);
    for (const { resolve } of answered) resolve(result);
    this.#unclaimed = answered.length === 0 ? result : null;
  }

  #follow(message: object): void {
    const uuid = stringField(message, 'command_uuid') ?? '';
    const waiting = this.#waiting.get(uuid);
    const state = stringField(message, 'state');
    if (waiting && (state === 'started' || state === 'completed')) waiting.isStarted = true;
    if (state === 'cancelled') this.#take(uuid)?.reject(takenBack());
  }

  #take(uuid: string): Waiting | undefined {
    const waiting = this.#waiting.get(uuid);
    this.#waiting.delete(uuid);
    return waiting;
  }
}
