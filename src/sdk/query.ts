import { Channel } from '../util/channel.ts';
import { isObject, type JsonObject } from '../util/json.ts';
import type {
  FlagSettingsResult,
  PermissionExplanation,
  RewindFilesResult,
  SettingsInForce,
} from '../wire/control/index.ts';
import { AbortError, ControlError, HeddleError, ProcessError, toHeddleError } from '../wire/errors.ts';
import { parseMessage } from '../wire/messages/parse.ts';
import type { SDKMessage, SDKUserMessage } from '../wire/messages/sdk.ts';
import { type ControlBody, Peer, type RequestHandler } from '../wire/peer.ts';
import type { PermissionModeName } from '../wire/permissions.ts';
import type { ExitInfo, Transport } from '../wire/transport.ts';
import { initializeBody, toLaunch } from './args.ts';
import { checkInput, checkOptions, checkPrompt, unsendable } from './check-options.ts';
import { answerHost } from './host-callbacks.ts';
import type { Options } from './options.ts';

const INITIALIZE_TIMEOUT_MS = 60_000;
/** How long what a dead agent has written may still be on its way. */
const READ_GRACE_MS = 1000;
/** How long a pipe that broke waits for the end of the agent behind it, before it is told by itself. */
const EXIT_GRACE_MS = 2000;

export type PromptStream = AsyncIterable<SDKUserMessage>;

/** A running query: its messages, and control over the agent behind it. */
export interface Query extends AsyncGenerator<SDKMessage, void> {
  /** Ends the running turn with an ordinary result. The session stays usable. */
  interrupt(): Promise<void>;
  setPermissionMode(mode: PermissionModeName): Promise<void>;
  /** Undefined: back to the model of the start. */
  setModel(model?: string): Promise<void>;
  setMaxThinkingTokens(tokens: number | null): Promise<void>;
  /**
   * Brings files back to how they were when a user message was sent; needs `enableFileCheckpointing`. With `dryRun`
   * nothing is changed, and the answer says what would be.
   */
  rewindFiles(userMessageId: string, options?: { dryRun?: boolean }): Promise<RewindFilesResult>;
  /** What would become of a tool call now, and which rule of which file decides. Nothing is run, nobody is asked. */
  explainPermission(toolName: string, input: JsonObject): Promise<PermissionExplanation>;
  /** The settings in force, each with where it stands. The values of credentials are masked. */
  getSettings(): Promise<SettingsInForce>;
  /**
   * Changes what `settings` gave at the start, key by key; null takes a key back. Rules and the model hold from the next
   * turn on, `permissions.defaultMode` at once; keys that an open session cannot take over come back in `without_effect`.
   */
  applyFlagSettings(settings: JsonObject): Promise<FlagSettingsResult>;
  /** The whole answer to initialize, kept from the start. */
  initializationResult(): Promise<JsonObject>;
  supportedCommands(): Promise<JsonObject[]>;
  supportedModels(): Promise<JsonObject[]>;
  accountInfo(): Promise<JsonObject>;
  /** Feeds more messages; resolves when they are written. */
  streamInput(stream: PromptStream): Promise<void>;
  /** Ends the agent by force. The iterator finishes. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Runs an agent on a prompt. It starts at once; options are checked before (throws `invalid_option`). A string is one
 * turn; an iterable is a conversation that lasts until it ends and everything it asked for is answered. Every result is
 * delivered. The iterator rejects with ProcessError when the agent dies without one, and with AbortError when the
 * caller's abortController fires; breaking out of the loop ends the agent.
 */
export function query({ prompt, options = {} }: { prompt: string | PromptStream; options?: Options }): Query {
  checkPrompt(prompt);
  checkOptions(options);
  const run = new Run(options);
  run.start(prompt);
  return run.asQuery();
}

class Run {
  readonly #options: Options;
  readonly #messages = new Channel<SDKMessage>();
  /** Rejects for every caller at once when the start fails. */
  readonly #connected: Promise<{ peer: Peer; transport: Transport }>;
  readonly #initialized: Promise<JsonObject>;
  #transport: Transport | null = null;
  /** Settles when the agent has said all and its end has been told. */
  #reading: Promise<void> = Promise.resolve();
  /** Something was sent that wants an answer. */
  #asked = false;
  #resultSeen = false;
  /** A result has reached the caller, so that the exit code is no news. */
  #resultTold = false;
  #closing = false;
  #streams = 0;
  #inputDone = false;
  #inputEnded = false;

  constructor(options: Options) {
    this.#options = options;
    this.#connected = this.#connect();
    this.#connected.catch(() => {}); // told through the iterator
    this.#initialized = this.#connected.then(({ peer }) => this.#initialize(peer));
    this.#initialized.catch((error) => this.#failWithAgent(error));
  }

  start(prompt: string | PromptStream): void {
    const signal = this.#options.abortController?.signal;
    if (signal?.aborted) this.#fail(new AbortError());
    signal?.addEventListener('abort', this.#onAbort, { once: true });
    this.#connected
      .then(({ peer, transport }) => {
        this.#reading = this.#read(peer, transport).catch((error) => this.#fail(error));
        return this.#write(typeof prompt === 'string' ? once(userMessage(prompt)) : prompt);
      })
      .catch((error) => this.#failWithAgent(error));
  }

  asQuery(): Query {
    const iterator = this.#iterate();
    const methods: Omit<Query, keyof AsyncGenerator> = {
      interrupt: async () => void (await this.#call({ subtype: 'interrupt' })),
      setPermissionMode: async (mode) => void (await this.#call({ subtype: 'set_permission_mode', mode })),
      setModel: async (model) =>
        void (await this.#call({ subtype: 'set_model', ...(model === undefined ? {} : { model }) })),
      setMaxThinkingTokens: async (tokens) =>
        void (await this.#call({ subtype: 'set_max_thinking_tokens', max_thinking_tokens: tokens })),
      rewindFiles: async (id, { dryRun } = {}) => {
        const request = { subtype: 'rewind_files', user_message_id: id };
        return (await this.#call(
          dryRun === undefined ? request : { ...request, dry_run: dryRun },
        )) as RewindFilesResult;
      },
      explainPermission: async (name, input) =>
        (await this.#call({ subtype: 'explain_permission', tool_name: name, input })) as PermissionExplanation,
      getSettings: async () => (await this.#call({ subtype: 'get_settings' })) as SettingsInForce,
      applyFlagSettings: async (settings) =>
        ((await this.#call({ subtype: 'apply_flag_settings', settings })) ?? {}) as FlagSettingsResult,
      initializationResult: () => this.#initialized,
      supportedCommands: async () => list((await this.#initialized).commands),
      supportedModels: async () => list((await this.#initialized).models),
      accountInfo: async () => {
        const { account } = await this.#initialized;
        return isObject(account) ? account : {};
      },
      streamInput: (stream) => this.#write(stream),
      close: () => this.#close(),
    };
    // A generator that was never started would skip its `finally` and leave the agent running.
    const { return: finish } = iterator;
    const leave = async () => {
      await this.#close();
      return finish.call(iterator, undefined);
    };
    return Object.assign(iterator, methods, { return: leave, [Symbol.asyncDispose]: () => this.#close() }) as Query;
  }

  readonly #onAbort = () => this.#fail(new AbortError());

  async *#iterate(): AsyncGenerator<SDKMessage, void> {
    try {
      yield* this.#messages;
    } finally {
      await this.#close();
    }
  }

  async #connect(): Promise<{ peer: Peer; transport: Transport }> {
    const connect = this.#options.transport ?? (await import('./subprocess.ts')).subprocess(this.#options);
    if (this.#closing || this.#options.abortController?.signal.aborted) throw new AbortError();
    const transport = connect(toLaunch(this.#options));
    this.#transport = transport;
    await transport.connect();
    if (this.#closing) await transport.close();
    const onRequest: RequestHandler = (request, context) => answerHost(this.#options, request, context);
    const peer = new Peer(transport, { newId: requestIds(), onRequest, onBadLine: (error) => this.#badLine(error) });
    this.#endWithAgent(peer, transport);
    return { peer, transport };
  }

  /** A process that the agent left behind may hold its output open; once the agent is gone, nothing more can come. */
  #endWithAgent(peer: Peer, transport: Transport): void {
    transport.exit.then(() => {
      const timer = setTimeout(() => transport.close().catch(() => {}), READ_GRACE_MS);
      peer.done.finally(() => clearTimeout(timer));
    });
  }

  async #initialize(peer: Peer): Promise<JsonObject> {
    const timeoutMs = this.#options.initializeTimeoutMs ?? INITIALIZE_TIMEOUT_MS;
    const answer = await peer.call(initializeBody(this.#options), { timeoutMs });
    return isObject(answer) ? answer : {};
  }

  async #call(request: ControlBody): Promise<unknown> {
    const { peer } = await this.#connected;
    return peer.call(request);
  }

  async #read(peer: Peer, transport: Transport): Promise<void> {
    for await (const line of peer.messages) {
      const parsed = parseMessage(line);
      if (parsed.ok) this.#messages.push(parsed.message as SDKMessage);
      else this.#badLine(parsed.error);
      if (line.type !== 'result') continue;
      this.#resultTold ||= parsed.ok;
      // Also for one that could not be read: the agent waits for the end of its input.
      this.#onResult(line, transport);
    }
    const exit = await transport.exit;
    if (this.#isUnexplained(exit)) this.#messages.fail(new ProcessError(exit));
    else this.#messages.end();
  }

  /** Whether the end of the agent is itself the news: it failed, or left what it was asked without any answer. */
  #isUnexplained({ code }: ExitInfo): boolean {
    if (this.#closing) return false;
    return code === 0 ? this.#asked && !this.#resultSeen : !this.#resultTold;
  }

  /** Without `end_input` the only way to tell an agent that no more comes is to close its stdin (ruling K2). */
  #onResult(result: JsonObject, transport: Transport): void {
    this.#resultSeen = true;
    const pending = Array.isArray(result.pending_tasks) ? result.pending_tasks.length : 0;
    if (this.#inputDone && pending === 0) transport.endInput();
  }

  async #write(stream: PromptStream): Promise<void> {
    if (this.#inputEnded) throw new HeddleError('closed', 'The input of this query has ended; start another query');
    const { transport } = await this.#connected;
    this.#streams++;
    let position = 0;
    try {
      for await (const item of stream) {
        if (this.#closing) return;
        const message = checkInput(item, ++position);
        this.#asked ||= message.type === 'user';
        await send(transport, message, position);
      }
    } finally {
      // Also when the source of the messages failed: what was sent is still answered.
      this.#streams--;
      if (this.#streams === 0 && !this.#closing) await this.#endInput(transport);
    }
  }

  /** End of input is not end of control: stdin stays open for answers until the agent has finished. */
  async #endInput(transport: Transport): Promise<void> {
    this.#inputEnded = true;
    const { capabilities } = await this.#initialized;
    if (Array.isArray(capabilities) && capabilities.includes('end_input')) {
      await this.#call({ subtype: 'end_input' }).catch((error) => {
        if (!(error instanceof ControlError)) return; // the agent ended before it could answer
        transport.endInput();
      });
      return;
    }
    this.#inputDone = true;
    if (this.#resultSeen || !this.#asked) transport.endInput();
  }

  #badLine(error: Error): void {
    const told = toHeddleError(error);
    // Unlike a stray word on stdout, this was surely a message: without it the stream is not what the agent said.
    if (told.code === 'line_too_long') {
      this.#fail(told);
      return;
    }
    if (this.#options.onError) {
      this.#options.onError(told);
      return;
    }
    import('./subprocess.ts')
      .then(({ warn }) => warn(`Skipped a line that could not be read: ${told.message}`))
      .catch(() => {});
  }

  /** A pipe that breaks is often the first sign of a dead agent. How it ended tells more, and is known a moment later. */
  async #failWithAgent(error: unknown): Promise<void> {
    if (HeddleError.isInstance(error) && error.code === 'closed') {
      const timer = setTimeout(() => this.#fail(error), EXIT_GRACE_MS);
      await this.#reading;
      clearTimeout(timer);
    }
    this.#fail(error);
  }

  #fail(error: unknown): void {
    if (this.#messages.ended) return;
    this.#messages.fail(error instanceof Error ? error : toHeddleError(error));
    this.#close().catch(() => {});
  }

  async #close(): Promise<void> {
    this.#closing = true;
    this.#options.abortController?.signal.removeEventListener('abort', this.#onAbort);
    await this.#transport?.close();
    this.#messages.end();
  }
}

async function send(transport: Transport, message: JsonObject, position: number): Promise<void> {
  try {
    await transport.write(message);
  } catch (error) {
    throw HeddleError.isInstance(error) ? error : unsendable(error, position);
  }
}

function userMessage(text: string): SDKUserMessage {
  return {
    type: 'user',
    session_id: '',
    message: { role: 'user', content: [{ type: 'text', text }] },
    parent_tool_use_id: null,
  } as unknown as SDKUserMessage;
}

async function* once<T>(value: T): AsyncGenerator<T, void> {
  yield value;
}

/** Short and unique within the connection. */
function requestIds(): () => string {
  let count = 0;
  const prefix = Math.random().toString(36).slice(2, 10);
  return () => `${prefix}${(++count).toString(36)}`;
}

function list(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
