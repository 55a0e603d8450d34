import { Channel } from '../util/channel.ts';
import { kindOf } from '../util/checks.ts';
import { type JsonObject, stringField } from '../util/json.ts';
import { badOption } from '../wire/check-named.ts';
import type { RewindFilesResult } from '../wire/control/index.ts';
import { HeddleError } from '../wire/errors.ts';
import type { ExitInfo } from '../wire/link/transport.ts';
import type { SDKMessage, SDKResultMessage, SDKUserMessage } from '../wire/messages/sdk.ts';
import { Connection, type MessageSink } from './connection.ts';
import { type ControlMethods, Controls } from './controls.ts';
import { type SuccessfulResult, successOf } from './failed-result.ts';
import { checkInput, checkOptions, checkPrompt } from './options/check-options.ts';
import type { GivenOptions } from './options/options.ts';
import { checkEditOptions, checkSendOptions, type EditOptions, type SendOptions } from './options/send-options.ts';
import { Asks } from './pending-asks.ts';
import { query, type TextRun } from './query.ts';
import { Receipts } from './receipts.ts';
import { textsOf } from './text-stream.ts';

/** Options of a session: those of `query`. */
export type SessionOptions<Output = unknown> = GivenOptions<Output>;

/** The answer to a question. */
export interface Answer<Output = unknown> {
  /** The text of the answer: `result.result`. */
  text: string;
  /** The whole result; never an error result. */
  result: SuccessfulResult<Output>;
  /** The uuid of the question. A later message can continue from it or edit it. */
  uuid: string;
}

/** The result of an edit of a prompt. */
export interface Edited {
  /** The uuid of the prompt that replaced the old one. */
  uuid: string;
  /** With `restoreFiles`: the restored files, and in `error` the ones that could not be restored. */
  files?: RewindFilesResult;
}

/** The messages of a turn. */
export interface SessionRun<Output = unknown> extends AsyncGenerator<SDKMessage<Output>, void>, TextRun<Output> {}

/** A conversation that stays open until it is closed: ask, or send and read, as often as you like. */
export interface Session<Output = unknown> extends ControlMethods {
  /**
   * Known at once, except where the agent chooses it (`continue`): then it is known with the first message, and reading
   * it earlier throws.
   */
  readonly sessionId: string;
  /** The agent's process id, once it runs; undefined where there is no process. */
  readonly pid: number | undefined;
  /**
   * Sends a message and resolves with its answer, when its turn is over. Several messages may be asked at the same
   * time; messages that come during a turn may be answered together. The readers of `stream` get the messages; without
   * a reader, these messages and the earlier unread ones are dropped.
   *
   * Rejects with FailedResultError when the turn ends in an error or is interrupted; the session stays usable. Also
   * rejects as `send` does, with `aborted` when the message is cancelled, and with AbortError or ProcessError when the
   * agent ends.
   *
   * @example
   * ```ts
   * const session = createSession({ model: 'sonnet' });
   * try {
   *   const { text, result } = await session.ask('What is in this directory?');
   *   console.log(text, result.total_cost_usd);
   * } finally {
   *   await session.close();
   * }
   * ```
   */
  ask(message: string | SDKUserMessage, options?: SendOptions): Promise<Answer<Output>>;
  /**
   * Puts a message in the queue; resolves with its uuid when it is sent, before it is answered.
   * - With `parentUuid` or `edits` it starts a new branch at that message and interrupts a running turn. It then
   *   resolves when the agent has accepted it, with `restoreFiles` when the files are restored. It rejects with
   *   `unknown_parent` when the session does not have the message.
   * - Wrong options, and `restoreFiles` in a session without checkpoints, reject with `invalid_option`; nothing is
   *   sent.
   *
   * @example
   * ```ts
   * const edited = await session.send('The same, but shorter', { parentUuid: null });
   * ```
   */
  send(message: string | SDKUserMessage, options?: SendOptions): Promise<string>;
  /**
   * Sends a prompt that replaces an earlier one: it has the same parent, and the earlier messages stay on their own
   * branch. A running turn is interrupted. With `restoreFiles` the agent first restores files to their state when the
   * old prompt was sent.
   *
   * Resolves when the agent has accepted the prompt; `stream` has the answer. Rejects as `send` does. With `dryRun` it
   * sends nothing, resolves with what would happen to the files, and rejects during a turn.
   *
   * @example
   * ```ts
   * const { uuid } = await session.ask('Rename the function to wfet');
   * const { files } = await session.edit(uuid, 'Rename the function to weft', { restoreFiles: true });
   * console.log(files?.filesChanged);
   * for await (const text of session.stream().textStream) process.stdout.write(text);
   * ```
   */
  edit(
    uuid: string,
    message: string | SDKUserMessage,
    options: EditOptions & { dryRun: true },
  ): Promise<{ files: RewindFilesResult }>;
  edit(uuid: string, message: string | SDKUserMessage, options?: EditOptions): Promise<Edited>;
  /**
   * The messages up to the next result, which is the last one; the next `stream` continues after it.
   * `stream().textStream` has only the text. It waits until a message is sent. Use one reader at a time: two readers
   * would each get a part of the messages, and one might wait for ever.
   */
  stream(): SessionRun<Output>;
  /** Ends the input, then the agent, and resolves with its exit. */
  close(): Promise<ExitInfo>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Opens a new session. The agent starts at once, after a check of the options (throws `invalid_option`).
 *
 * @example
 * ```ts
 * const session = createSession({ model: 'sonnet' });
 * try {
 *   console.log((await session.ask('What is in this directory?')).text);
 *   console.log((await session.ask('And in its parent?')).text);
 * } finally {
 *   await session.close();
 * }
 * ```
 */
export function createSession<Output = unknown>(options: SessionOptions<Output> = {}): Session<Output> {
  checkOptions(options);
  return new AgentSession<Output>(options);
}

/**
 * Resumes a stored session, or a copy of it (`forkSession`).
 *
 * @example
 * ```ts
 * const session = resumeSession(sessionId);
 * try {
 *   console.log((await session.ask('And now?')).text);
 * } finally {
 *   await session.close();
 * }
 * ```
 */
export function resumeSession<Output = unknown>(
  sessionId: string,
  options: SessionOptions<Output> = {},
): Session<Output> {
  if (typeof sessionId !== 'string' || sessionId === '') {
    throw badOption(
      'resume',
      `resumeSession needs the id of a session, got ${kindOf(sessionId)}: listSessions() has them`,
    );
  }
  return createSession({ ...options, resume: sessionId });
}

/**
 * Asks once and resolves with the result, when everything is done; the result may be an error result. Rejects as
 * `query` does.
 *
 * @example
 * ```ts
 * const result = await prompt('What is in this directory?', { model: 'sonnet' });
 * console.log(successOf(result).result); // throws for an error result
 * ```
 */
export async function prompt<Output = unknown>(
  text: string,
  options: SessionOptions<Output> = {},
): Promise<SDKResultMessage<Output>> {
  const run = query({ prompt: text, options });
  for await (const _ of run);
  if (run.result) return run.result;
  throw new HeddleError('closed', 'The run was ended before it had a result');
}

class AgentSession<Output> extends Controls implements Session<Output> {
  readonly #messages = new Channel<SDKMessage>();
  readonly #reader = this.#messages[Symbol.asyncIterator]();
  readonly #connection: Connection;
  /** The uuids that this object generated, of messages on their way. */
  readonly #ownUuids = new Set<string>();
  readonly #receipts = new Receipts();
  readonly #asks = new Asks();
  /** How many streams are being read. */
  #readers = 0;
  #sessionId: string | undefined;

  constructor(options: SessionOptions<Output>) {
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

  async ask(message: string | SDKUserMessage, options: SendOptions = {}): Promise<Answer<Output>> {
    const line = lineOf(message);
    if (line.shouldQuery === false) {
      throw new HeddleError('invalid_option', 'A message with shouldQuery: false is not answered: use send()');
    }
    const uuid = stringField(line, 'uuid') ?? this.#makeUuid();
    const answer = this.#asks.expect(uuid);
    try {
      await this.#send({ ...line, uuid }, uuid, options);
    } catch (error) {
      this.#asks.forget(uuid);
      throw error;
    }
    if (this.#readers === 0) this.#messages.drain(); // drops the messages that no stream has read
    const result = successOf((await answer) as SDKResultMessage<Output>);
    return { text: result.result, result, uuid };
  }

  async send(message: string | SDKUserMessage, options: SendOptions = {}): Promise<string> {
    const line = lineOf(message);
    const uuid = stringField(line, 'uuid') ?? this.#makeUuid();
    await this.#send({ ...line, uuid }, uuid, options);
    return uuid;
  }

  edit(
    uuid: string,
    message: string | SDKUserMessage,
    options: EditOptions & { dryRun: true },
  ): Promise<{ files: RewindFilesResult }>;
  edit(uuid: string, message: string | SDKUserMessage, options?: EditOptions): Promise<Edited>;
  async edit(
    edits: string,
    message: string | SDKUserMessage,
    options: EditOptions = {},
  ): Promise<Edited | { files: RewindFilesResult }> {
    checkEditOptions(options);
    const line = lineOf(message);
    const { restoreFiles, dryRun } = options;
    if (dryRun) {
      const request = { subtype: 'rewind_files', user_message_id: edits, dry_run: true, any_branch: true };
      return { files: (await this.#connection.call(request)) as RewindFilesResult };
    }
    const uuid = stringField(line, 'uuid') ?? this.#makeUuid();
    const place = { edits, ...(restoreFiles !== undefined && { restoreFiles }) };
    const files = await this.#send({ ...line, uuid }, uuid, place);
    return { uuid, ...(files && { files }) };
  }

  /** Resolves with the restored files, where the options ask for them. */
  async #send(line: JsonObject, uuid: string, options: SendOptions): Promise<RewindFilesResult | undefined> {
    checkSendOptions(options);
    const { parentUuid, edits, restoreFiles } = options;
    if (parentUuid === undefined && edits === undefined) {
      await this.#connection.send(line);
      return undefined;
    }
    const place = {
      ...(edits === undefined ? { parentUuid } : { edits }),
      ...(restoreFiles && { restore_files: true }),
    };
    await this.#requireCapability(edits !== undefined || restoreFiles ? 'edits' : 'parent_uuid');
    // The agent may refuse the message, so this waits for the receipt.
    const taken = this.#receipts.expect(uuid, { wantsFiles: restoreFiles === true });
    await this.#connection.send({ ...line, ...place });
    return taken;
  }

  /** Throws for an agent that would ignore the requested position and append the message. */
  async #requireCapability(capability: string): Promise<void> {
    const { capabilities } = await this.#connection.initialized;
    if (capabilities?.includes(capability)) return;
    const what = capability === 'edits' ? 'edits and restoreFiles' : 'parentUuid';
    throw new HeddleError('not_supported', `This agent does not know ${what}: it would take the message as the next`);
  }

  #makeUuid(): string {
    const uuid = crypto.randomUUID();
    this.#ownUuids.add(uuid);
    return uuid;
  }

  stream(): SessionRun<Output> {
    const seen: SeenMessages<Output> = { result: null };
    const textStream = () => {
      this.#connection.wantPartials();
      return textsOf(this.#read(seen, { withPartials: true }));
    };
    return Object.defineProperties(this.#read(seen, { withPartials: false }), {
      textStream: { get: textStream },
      result: { get: () => seen.result },
    }) as SessionRun<Output>;
  }

  async *#read(seen: SeenMessages<Output>, { withPartials }: { withPartials: boolean }) {
    this.#readers++;
    try {
      for (;;) {
        const { value, done } = await this.#reader.next();
        if (done) return;
        if (!withPartials && this.#connection.isUnaskedPartial(value)) continue;
        if (value.type === 'result') seen.result = value as SDKResultMessage<Output>;
        yield value as SDKMessage<Output>;
        if (value.type === 'result') return;
      }
    } finally {
      this.#readers--;
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
   * True for a line that only reports the progress of a message that this object sent; readers do not get these lines,
   * because the host did not set the uuid. A line about a failure is passed on.
   */
  #concernsThisSession(message: SDKMessage): boolean {
    const { type, command_uuid: uuid, state } = message as JsonObject;
    if (type !== 'command_lifecycle' || !this.#ownUuids.has(uuid as string)) return false;
    if (state === 'queued' || state === 'started') return true;
    this.#ownUuids.delete(uuid as string);
    return state === 'completed';
  }

  /** Every message carries its session id, which may change: `/clear` begins a new session. */
  #sink(): MessageSink {
    const messages = this.#messages;
    return {
      push: (message) => {
        this.#sessionId = stringField(message, 'session_id') || this.#sessionId;
        const isForAsker = !this.#asks.isEmpty && this.#readers === 0;
        const isAnswer = this.#receipts.settle(message);
        this.#asks.observe(message);
        if (!isAnswer && !this.#concernsThisSession(message) && !isForAsker) messages.push(message);
      },
      end: () => {
        this.#receipts.fail(new HeddleError('closed', 'The session ended before it had taken the message'));
        this.#asks.end();
        messages.end();
      },
      fail: (error) => {
        this.#receipts.fail(error);
        this.#asks.fail(error);
        messages.fail(error);
      },
      get ended() {
        return messages.ended;
      },
    };
  }
}

/** The last result of a run. */
interface SeenMessages<Output> {
  result: SDKResultMessage<Output> | null;
}

/** Throws `invalid_option` for a value that is not a message. */
function lineOf(message: string | SDKUserMessage): JsonObject {
  if (typeof message === 'string') checkPrompt(message);
  return checkInput(message, 1);
}

/** Generated here where possible, so that a session has its id from the start. */
function chooseId({ sessionId, resume, continue: goesOn, forkSession }: SessionOptions): string | undefined {
  if (sessionId) return sessionId;
  const isNew = (resume === undefined && !goesOn) || forkSession;
  return isNew ? crypto.randomUUID() : undefined;
}
