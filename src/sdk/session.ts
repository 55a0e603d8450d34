import { Channel } from '../util/channel.ts';
import { type JsonObject, stringField } from '../util/json.ts';
import { HeddleError } from '../wire/errors.ts';
import type { SDKMessage, SDKResultMessage, SDKUserMessage } from '../wire/messages/sdk.ts';
import type { ExitInfo } from '../wire/transport.ts';
import { checkInput, checkOptions, checkPrompt } from './check-options.ts';
import { Connection, type MessageSink } from './connection.ts';
import { type ControlMethods, Controls } from './controls.ts';
import type { Options } from './options.ts';
import { query } from './query.ts';
import { Receipts } from './receipts.ts';
import { userMessage } from './user-message.ts';

/** Options of a session: those of `query`. */
export type SessionOptions = Options;

export interface SendOptions {
  /** The message to continue from: its uuid, or null for a new beginning. Left out: where the session stands. */
  parentUuid?: string | null;
}

/** A conversation that stays open until it is closed: send, then read the answer, as often as you like. */
export interface Session extends ControlMethods {
  /** Known at once, except where the agent chooses (`continue`): then with the first message, and it throws before. */
  readonly sessionId: string;
  /** The agent's process, once it runs; undefined where there is none. */
  readonly pid: number | undefined;
  /**
   * Puts a message in the queue; resolves with its uuid when it is on its way, before it is answered. With `parentUuid`
   * it starts a branch beside what was said after that message, and interrupts a running turn; resolves when the agent
   * has taken it, and rejects with `unknown_parent` when the session has no such message.
   *
   * @example
   * ```ts
   * const edited = await session.send('The same, but shorter', { parentUuid: null });
   * ```
   */
  send(message: string | SDKUserMessage, options?: SendOptions): Promise<string>;
  /** The messages up to the next result, which is the last one; the next `stream` goes on behind it. */
  stream(): AsyncGenerator<SDKMessage, void>;
  /** Ends the input, then the agent, and tells how it ended. */
  close(): Promise<ExitInfo>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Opens a new session. The agent starts at once; options are checked before (throws `invalid_option`).
 *
 * @example
 * ```ts
 * await using session = createSession({ model: 'sonnet' });
 * await session.send('What is in this directory?');
 * for await (const message of session.stream()) console.log(message.type);
 * ```
 */
export function createSession(options: SessionOptions = {}): Session {
  checkOptions(options);
  return new AgentSession(options);
}

/**
 * Goes on with a stored session, or with a copy of it (`forkSession`).
 *
 * @example
 * ```ts
 * await using session = resumeSession(sessionId);
 * await session.send('And now?');
 * ```
 */
export function resumeSession(sessionId: string, options: SessionOptions = {}): Session {
  return createSession({ ...options, resume: sessionId });
}

/**
 * Asks once and resolves with the result, when everything is done; an error result is one, too. Rejects as `query` does.
 *
 * @example
 * ```ts
 * const result = await prompt('What is in this directory?', { model: 'sonnet' });
 * if (result.subtype === 'success') console.log(result.result);
 * ```
 */
export async function prompt(text: string, options: SessionOptions = {}): Promise<SDKResultMessage> {
  let last: SDKResultMessage | null = null;
  for await (const message of query({ prompt: text, options })) if (message.type === 'result') last = message;
  if (last) return last;
  throw new HeddleError('closed', 'The run was ended before it had a result');
}

class AgentSession extends Controls implements Session {
  readonly #messages = new Channel<SDKMessage>();
  readonly #reader = this.#messages[Symbol.asyncIterator]();
  readonly #connection: Connection;
  /** Of messages on their way whose uuids were made here. */
  readonly #ownUuids = new Set<string>();
  readonly #receipts = new Receipts();
  #sessionId: string | undefined;

  constructor(options: SessionOptions) {
    super();
    const sessionId = chooseId(options);
    this.#sessionId = sessionId ?? options.resume;
    this.#connection = new Connection({ ...options, ...(sessionId && { sessionId }) }, this.#sink());
  }

  get sessionId(): string {
    if (this.#sessionId) return this.#sessionId;
    throw new HeddleError('not_connected', 'The id of this session comes with its first message');
  }

  get pid(): number | undefined {
    return this.#connection.pid;
  }

  async send(message: string | SDKUserMessage, { parentUuid }: SendOptions = {}): Promise<string> {
    if (typeof message === 'string') checkPrompt(message);
    const line: JsonObject = typeof message === 'string' ? userMessage(message) : checkInput(message, 1);
    const uuid = stringField(line, 'uuid') ?? this.#makeUuid();
    if (parentUuid === undefined) await this.#connection.send({ ...line, uuid });
    else await this.#branch({ ...line, uuid, parentUuid }, uuid);
    return uuid;
  }

  /** Sends a message that may be refused, and waits until it is known whether it was. */
  async #branch(line: JsonObject, uuid: string): Promise<void> {
    const { capabilities } = await this.#connection.initialized;
    if (!capabilities?.includes('parent_uuid')) {
      throw new HeddleError(
        'not_supported',
        'This agent does not know parentUuid: it would take the message as the next',
      );
    }
    const taken = this.#receipts.expect(uuid);
    await this.#connection.send(line);
    await taken;
  }

  #makeUuid(): string {
    const uuid = crypto.randomUUID();
    this.#ownUuids.add(uuid);
    return uuid;
  }

  async *stream(): AsyncGenerator<SDKMessage, void> {
    for (;;) {
      const { value, done } = await this.#reader.next();
      if (done) return;
      yield value;
      if (value.type === 'result') return;
    }
  }

  close(): Promise<ExitInfo> {
    return this.#connection.shutDown();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  protected connection(): Connection {
    return this.#connection;
  }

  /**
   * Whether a message only says that one of ours goes its way: agents report on messages that have a uuid, and here the
   * host has not given any. What went wrong is told.
   */
  #isOwnNews(message: SDKMessage): boolean {
    const { type, command_uuid: uuid, state } = message as JsonObject;
    if (type !== 'command_lifecycle' || !this.#ownUuids.has(uuid as string)) return false;
    if (state === 'queued' || state === 'started') return true;
    this.#ownUuids.delete(uuid as string);
    return state === 'completed';
  }

  /** Messages tell in which session they are: it may change, as by a command that begins anew. */
  #sink(): MessageSink {
    const messages = this.#messages;
    return {
      push: (message) => {
        this.#sessionId = stringField(message, 'session_id') || this.#sessionId;
        const isAnswer = this.#receipts.settle(message);
        if (!isAnswer && !this.#isOwnNews(message)) messages.push(message);
      },
      end: () => {
        this.#receipts.fail(new HeddleError('closed', 'The session ended before it had taken the message'));
        messages.end();
      },
      fail: (error) => {
        this.#receipts.fail(error);
        messages.fail(error);
      },
      get ended() {
        return messages.ended;
      },
    };
  }
}

/** Chosen here where it can be, so that a session has its id from the start. */
function chooseId({ sessionId, resume, continue: goesOn, forkSession }: SessionOptions): string | undefined {
  if (sessionId) return sessionId;
  const isNew = (resume === undefined && !goesOn) || forkSession;
  return isNew ? crypto.randomUUID() : undefined;
}
