import { Channel } from '../util/channel.ts';
import { kindOf } from '../util/checks.ts';
import { type JsonObject, stringField } from '../util/json.ts';
import { badOption } from '../wire/check-named.ts';
import type { RewindFilesResult } from '../wire/control/index.ts';
import { HeddleError } from '../wire/errors.ts';
import type { SDKMessage, SDKResultMessage, SDKUserMessage } from '../wire/messages/sdk.ts';
import type { ExitInfo } from '../wire/transport.ts';
import { Asks } from './asks.ts';
import { checkInput, checkOptions, checkPrompt } from './check-options.ts';
import { Connection, type MessageSink } from './connection.ts';
import { type ControlMethods, Controls } from './controls.ts';
import { type SuccessfulResult, successOf } from './failed-result.ts';
import type { GivenOptions } from './options.ts';
import { query, type TextRun } from './query.ts';
import { Receipts } from './receipts.ts';
import { checkEditOptions, checkSendOptions, type EditOptions, type SendOptions } from './send-options.ts';
import { textsOf } from './text-stream.ts';

/** Options of a session: those of `query`. */
export type SessionOptions<Output = unknown> = GivenOptions<Output>;

/** What became of a question. */
export interface Answer<Output = unknown> {
  /** The text of the answer: `result.result`. */
  text: string;
  /** The whole result, which is none of an error. */
  result: SuccessfulResult<Output>;
  /** The uuid of the question, by which it can be continued from and edited. */
  uuid: string;
}

/** What became of an edited prompt. */
export interface Edited {
  /** The uuid of the prompt that took the place of the old one. */
  uuid: string;
  /** With `restoreFiles`: what was brought back, and in `error` what could not be. */
  files?: RewindFilesResult;
}

/** The messages of a turn. */
export interface SessionRun<Output = unknown> extends AsyncGenerator<SDKMessage<Output>, void>, TextRun<Output> {}

/** A conversation that stays open until it is closed: ask, or send and read, as often as you like. */
export interface Session<Output = unknown> extends ControlMethods {
  /** Known at once, except where the agent chooses (`continue`): then with the first message, and it throws before. */
  readonly sessionId: string;
  /** The agent's process, once it runs; undefined where there is none. */
  readonly pid: number | undefined;
  /**
   * Sends a message and resolves with the answer to it, when its turn is over. Several may be asked at the same time; those
   * that come during a turn may be answered together. Messages go to whoever reads `stream`; where nobody does, they are
   * passed over, with those before them that nobody has read.
   *
   * Rejects with FailedResultError when the turn ends in an error, or is interrupted: the session stays usable. Also as
   * `send` does, with `aborted` when the message is taken back, and with AbortError or ProcessError when the agent ends.
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
   * Puts a message in the queue; resolves with its uuid when it is on its way, before it is answered. With `parentUuid` or
   * `edits` it starts a branch beside what was said there, and interrupts a running turn; resolves when the agent has taken
   * it, with `restoreFiles` when the files are back, and rejects with `unknown_parent` when the session has no such message.
   * Wrong options reject with `invalid_option`; so does `restoreFiles` in a session that keeps no files. Nothing is sent then.
   *
   * @example
   * ```ts
   * const edited = await session.send('The same, but shorter', { parentUuid: null });
   * ```
   */
  send(message: string | SDKUserMessage, options?: SendOptions): Promise<string>;
  /**
   * Sends a prompt in the place of an earlier one: it continues from where that one did, and what was said there stays, on a
   * branch of its own. A running turn is interrupted. With `restoreFiles` files are brought back first to how they were when
   * the old prompt was sent. Resolves when the agent has taken it; `stream` has the answer. Rejects as `send` does.
   *
   * With `dryRun` nothing is sent: it resolves with what would become of the files, and rejects during a turn.
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
   * The messages up to the next result, which is the last one; the next `stream` goes on behind it. `stream().textStream`
   * has only the text. It waits until something is sent. Have one reader at a time: two would share the messages between
   * them, and one of them might wait for ever.
   */
  stream(): SessionRun<Output>;
  /** Ends the input, then the agent, and tells how it ended. */
  close(): Promise<ExitInfo>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Opens a new session. The agent starts at once; options are checked before (throws `invalid_option`).
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
 * Goes on with a stored session, or with a copy of it (`forkSession`).
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
 * Asks once and resolves with the result, when everything is done; an error result is one, too. Rejects as `query` does.
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
  /** Of messages on their way whose uuids were made here. */
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
    if (this.#readers === 0) this.#messages.drain(); // what nobody has read so far
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

  /** Resolves with what became of the files, where some were wanted back. */
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
    // It may be refused: waits until it is known whether it was.
    const taken = this.#receipts.expect(uuid, { wantsFiles: restoreFiles === true });
    await this.#connection.send({ ...line, ...place });
    return taken;
  }

  /** Throws for an agent that would take the message as the next, wherever it belongs. */
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
    const seen: Seen<Output> = { result: null };
    const textStream = () => {
      this.#connection.wantPartials();
      return textsOf(this.#read(seen, { withPartials: true }));
    };
    return Object.defineProperties(this.#read(seen, { withPartials: false }), {
      textStream: { get: textStream },
      result: { get: () => seen.result },
    }) as SessionRun<Output>;
  }

  async *#read(seen: Seen<Output>, { withPartials }: { withPartials: boolean }) {
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
        const isForAsker = !this.#asks.isEmpty && this.#readers === 0;
        const isAnswer = this.#receipts.settle(message);
        this.#asks.hear(message);
        if (!isAnswer && !this.#isOwnNews(message) && !isForAsker) messages.push(message);
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

/** What was seen of a run. */
interface Seen<Output> {
  result: SDKResultMessage<Output> | null;
}

/** Throws `invalid_option` for what is no message. */
function lineOf(message: string | SDKUserMessage): JsonObject {
  if (typeof message === 'string') checkPrompt(message);
  return checkInput(message, 1);
}

/** Chosen here where it can be, so that a session has its id from the start. */
function chooseId({ sessionId, resume, continue: goesOn, forkSession }: SessionOptions): string | undefined {
  if (sessionId) return sessionId;
  const isNew = (resume === undefined && !goesOn) || forkSession;
  return isNew ? crypto.randomUUID() : undefined;
}
