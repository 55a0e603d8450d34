import { isObject, type JsonObject, stringField } from '../util/json.ts';
import { within } from '../util/timer.ts';
import type { InitializeResponse, SlashCommand } from '../wire/control/index.ts';
import { AbortError, ControlError, type ErrorCode, HeddleError, toHeddleError } from '../wire/errors.ts';
import { exitError } from '../wire/link/exit-errors.ts';
import { type CallOptions, type ControlBody, Peer } from '../wire/link/peer.ts';
import type { ExitInfo, Transport } from '../wire/link/transport.ts';
import type { CommandsChangedMessage } from '../wire/messages/notices.ts';
import type { Message, ParsedMessage } from '../wire/messages/parse.ts';
import type { SDKMessage } from '../wire/messages/sdk.ts';
import type { HostCallbacks } from './host-callbacks.ts';
import { checkInput, checkTransport, unsendable } from './options/check-options.ts';
import type { McpServers } from './options/mcp-servers.ts';
import type { GivenOptions } from './options/options.ts';
import { zodIn } from './options/output-schema.ts';
import { type OutputSchema, readOutputSchema } from './options/read-output.ts';
import { initializeBody, type Prepared, toLaunch } from './options/to-launch.ts';
import { programTools } from './options/tools-of-program.ts';
import { hostTeller, type ReportToHost } from './report-to-host.ts';
import { LOAD_TIMEOUT_MS } from './stored/load-timeout.ts';
import { warnIfOld } from './subprocess/check-version.ts';

const INITIALIZE_TIMEOUT_MS = 60_000;
/** How long the last output of a dead agent may take to arrive. */
const READ_GRACE_MS = 1000;
/** How long a broken pipe waits for the agent's exit before it is reported as an error itself. */
const EXIT_GRACE_MS = 2000;
/** How long an agent whose input has ended may take to end by itself. */
const END_GRACE_MS = 500;
/** How long an agent may take to exit after its last message. */
const LAST_GRACE_MS = 30_000;

const NEVER_STARTED: ExitInfo = { code: null, signal: null, stderr: '' };

/** Receives the messages of a connection in order, and how they ended: normally, or by an error. */
export interface MessageSink {
  push(message: SDKMessage): void;
  end(): void;
  fail(error: Error): void;
  readonly ended: boolean;
}

interface Link {
  peer: Peer;
  host: HostCallbacks;
  transport: Transport;
}

/**
 * A running agent and the conversation with it: the common base of `query`, sessions and the client. It starts at once,
 * initializes, reads everything into its sink, and answers the agent's questions from the options. It ends in one of
 * four ways: the agent ends, `close` or `shutDown` is called, the abortController fires, or something breaks.
 */
export class Connection {
  readonly #options: GivenOptions;
  readonly #sink: MessageSink;
  /** Loaded while the agent starts. */
  readonly #host: Promise<HostCallbacks>;
  readonly #reportToHost: ReportToHost;
  /** Rejects for every caller at once when the start fails. */
  readonly #connected: Promise<Link>;
  /** The agent's answer to initialize. */
  readonly initialized: Promise<InitializeResponse>;
  /** The commands as the agent last listed them; null when they have not changed since the start. */
  commands: readonly SlashCommand[] | null = null;
  #transport: Transport | null = null;
  #prepared: Prepared = {};
  /** For a zod schema: converts the output of a result. */
  #output: OutputSchema | null = null;
  /**
   * Partial messages were requested although no option asks for them. Settles when the agent has the request. Never
   * rejects.
   */
  #partials: Promise<void> | null = null;
  /** Settles when all messages of the agent are read and its end is reported. */
  #reading: Promise<void> = Promise.resolve();
  /** How many sent messages need an answer since the last result, without the refused ones. */
  #unanswered = 0;
  /** The caller has a result, so that the exit code adds nothing. */
  #resultReported = false;
  #versionNoted = false;
  #closing = false;
  /** The input is over, and the agent can only learn of it by the end of its stdin. */
  #inputDone = false;
  /** The last state that the agent reported; null for an agent that reports no states. */
  #state: string | null = null;

  constructor(options: GivenOptions, sink: MessageSink) {
    this.#options = options;
    this.#sink = sink;
    this.#reportToHost = hostTeller(options);
    this.#host = this.#loadHost();
    this.#host.catch(() => {}); // the callers of `connect` get the error
    const signal = options.abortController?.signal;
    if (signal?.aborted) this.fail(new AbortError());
    else signal?.addEventListener('abort', this.#onAbort, { once: true });
    this.#connected = this.#connect();
    this.initialized = this.#connected.then((link) => this.#initialize(link));
    this.initialized.catch((error) => this.failWithAgent(error));
  }

  async #loadHost(): Promise<HostCallbacks> {
    const { hostCallbacks } = await import('./host-callbacks.ts');
    return hostCallbacks(this.#options, { callAgent: (request) => this.call(request), report: this.#reportToHost });
  }

  get pid(): number | undefined {
    return this.#transport?.pid;
  }

  /** Sends a control request; resolves with the body of the answer. Waits for the connection, not for `initialize`. */
  async call(request: ControlBody): Promise<unknown> {
    const { peer } = await this.#connected;
    return peer.call(request);
  }

  /**
   * Initializes again, and answers the requests that the agent lists as open. Requests that are being answered are left
   * alone.
   */
  async reinitialize(): Promise<InitializeResponse> {
    const link = await this.#connected;
    const { peer } = link;
    return this.#initialize(link, (response) => peer.serveAgain(OPEN_REQUESTS.flatMap((list) => response[list] ?? [])));
  }

  /** Turns partial messages on, where the agent supports that. Messages that are sent later wait for this request. */
  wantPartials(): void {
    if (!this.#options.includePartialMessages) this.#partials ??= this.#askForPartials().catch(() => {});
  }

  async #askForPartials(): Promise<void> {
    const { capabilities } = await this.initialized;
    if (!capabilities?.includes('partial_messages')) return;
    await this.call({ subtype: 'set_partial_messages', enabled: true });
  }

  /** Whether a message only exists because of `wantPartials`. */
  isUnaskedPartial(message: SDKMessage): boolean {
    if (!this.#partials) return false;
    return message.type === 'stream_event' || (message as JsonObject).status === 'requesting';
  }

  /** Continues the unfinished turn; it counts as a message that waits for its result. */
  async continueTurn(): Promise<void> {
    await this.initialized; // hooks and servers of this program take part in the turn
    this.#unanswered += 1;
    try {
      await this.call({ subtype: 'continue_turn' });
    } catch (error) {
      this.#unanswered -= 1;
      throw error;
    }
  }

  /** Servers of this program must exist before the agent learns of them. */
  async addServers(servers: McpServers): Promise<void> {
    await (await this.#host).addServers(servers);
  }

  /** Sends one message; resolves when it is written. Rejects with `closed` when the agent no longer reads. */
  async send(message: JsonObject, position = 1): Promise<void> {
    if (this.#closing) throw new HeddleError('closed', CLOSED);
    const { transport } = await this.#connected;
    const isPrompt = message.type === 'user';
    if (isPrompt && this.#partials) await this.#partials;
    if (isPrompt && message.shouldQuery !== false) this.#unanswered += 1;
    try {
      await transport.write(
        isPrompt && this.#options.verbatimPrompts ? { ...message, client_composed: true } : message,
      );
    } catch (error) {
      throw HeddleError.isInstance(error) ? error : unsendable(error, position);
    }
  }

  /** Sends the items of a stream one after the other; resolves when the stream has ended. */
  async sendAll(stream: AsyncIterable<unknown>): Promise<void> {
    await this.#connected;
    let position = 0;
    for await (const item of stream) {
      if (this.#closing) return;
      await this.send(checkInput(item, ++position), position);
    }
  }

  /** The end of the input does not end control: stdin stays open for answers until the agent has finished. */
  async endInput(): Promise<void> {
    if (this.#closing) return;
    const { transport } = await this.#connected;
    const { capabilities } = await this.initialized;
    if (Array.isArray(capabilities) && capabilities.includes('end_input')) {
      await this.call({ subtype: 'end_input' }).catch((error) => {
        if (error instanceof ControlError) transport.endInput(); // else: the agent ended before it answered
      });
      return;
    }
    this.#inputDone = true;
    if (this.#unanswered === 0 && (this.#state === null || this.#state === 'idle')) transport.endInput();
  }

  /** Lets an agent finish by itself: ends its input, and ends the agent by force only after the grace time. */
  async shutDown(): Promise<ExitInfo> {
    this.#closing = true;
    const transport = this.#transport;
    if (transport?.isReady()) {
      transport.endInput();
      await within(END_GRACE_MS, transport.exit);
    }
    return this.close();
  }

  /** Ends the agent by force, and the stream of its messages. */
  async close(): Promise<ExitInfo> {
    this.#closing = true;
    this.#options.abortController?.signal.removeEventListener('abort', this.#onAbort);
    const exit = await this.#transport?.close();
    const host = await this.#host.catch(() => null);
    await host?.close();
    this.#sink.end();
    return exit ?? NEVER_STARTED;
  }

  /** Ends the stream with an error and ends the agent. */
  fail(error: unknown): void {
    if (this.#sink.ended) return;
    this.#sink.fail(error instanceof Error ? error : toHeddleError(error));
    this.close().catch(() => {});
  }

  readonly #onAbort = () => this.fail(new AbortError());

  async #connect(): Promise<Link> {
    // Loaded only now, so that a program that only imports this package does not pay for it.
    const parsing = import('../wire/messages/parse.ts');
    if (this.#needsPreparing) await this.#prepare();
    const connect = this.#options.transport ?? (await import('./subprocess/subprocess.ts')).subprocess(this.#options);
    if (this.#closing) throw new AbortError('Closed before the agent was started');
    const transport = checkTransport(connect(toLaunch(this.#options, this.#prepared)));
    this.#transport = transport;
    await transport.connect();
    if (this.#closing) await transport.close();
    const [{ parseMessage }, host] = await Promise.all([parsing, this.#host]);
    const peer = new Peer(transport, {
      newId: requestIds(),
      onRequest: host.answer,
      onBadLine: (error) => this.#badLine(error),
    });
    this.#endWithAgent(peer, transport);
    this.#reading = this.#read(peer, transport, parseMessage).catch((error) => this.fail(error));
    return { peer, transport, host };
  }

  get #needsPreparing(): boolean {
    return programTools(this.#options.tools).length > 0 || zodIn(this.#options.outputFormat) !== null;
  }

  /**
   * Converts zod schemas, which takes a moment. Done before the connection, because nothing may be written before
   * `initialize`.
   */
  async #prepare(): Promise<void> {
    const zod = zodIn(this.#options.outputFormat);
    this.#output = zod && (await readOutputSchema(zod));
    const tools = await (await this.#host).tools?.described();
    this.#prepared = { ...(this.#output && { jsonSchema: this.#output.json }), ...(tools && { tools }) };
  }

  /** A process that the agent started may hold its output open. Once the agent is gone, no more messages can come. */
  #endWithAgent(peer: Peer, transport: Transport): void {
    transport.exit.then(() => {
      const timer = setTimeout(() => transport.close().catch(() => {}), READ_GRACE_MS);
      peer.done.finally(() => clearTimeout(timer));
    });
  }

  /** Writes before it awaits anything, so that messages sent meanwhile come after `initialize`. */
  async #initialize({ peer, host }: Link, onResponse?: CallOptions['onResponse']): Promise<InitializeResponse> {
    const timeoutMs = this.#options.initializeTimeoutMs ?? INITIALIZE_TIMEOUT_MS + storeTimeMs(this.#options);
    const body = initializeBody(this.#options, host.announced, this.#prepared);
    const answer = await peer.call(body, { timeoutMs, ...(onResponse && { onResponse }) });
    const response = (isObject(answer) ? answer : {}) as InitializeResponse;
    if (this.#options.sessionStore && !response.capabilities?.includes('session_store')) {
      throw new HeddleError('not_supported', 'This agent cannot keep its session in options.sessionStore');
    }
    if (host.tools && !response.capabilities?.includes('host_tools')) {
      const message =
        'This agent takes no tools in options.tools: give them to createSdkMcpServer, and that to mcpServers';
      throw new HeddleError('not_supported', message);
    }
    return response;
  }

  async #read(peer: Peer, transport: Transport, parse: (line: JsonObject) => ParsedMessage): Promise<void> {
    for await (const line of peer.messages) {
      if (isStateLine(line)) this.#onState(line, transport);
      if (line.sdk_host_only === true) continue;
      const parsed = parse(line);
      if (parsed.ok) {
        const said = this.#said(parsed.message);
        this.#sink.push(said instanceof Promise ? await said : said); // nothing waits without need
      } else this.#badLine(parsed.error);
      if (line.type === 'system' && line.subtype === 'init') this.#noteVersion(line);
      if (parsed.ok && isCommandsChanged(parsed.message)) this.commands = parsed.message.commands;
      if (line.type === 'system' && line.subtype === 'input_error')
        this.#unanswered = Math.max(0, this.#unanswered - 1);
      if (line.type !== 'result') continue;
      this.#resultReported ||= parsed.ok;
      // Also for a result that could not be read: the agent waits for the end of its input.
      this.#onResult(line, transport);
    }
    if (!this.#closing) transport.endInput();
    const exit = (await within(LAST_GRACE_MS, transport.exit)) ?? (await transport.close());
    if (this.#isUnexplained(exit)) this.#sink.fail(exitError(exit));
    else this.#sink.end();
  }

  #said(message: Message): SDKMessage | Promise<SDKMessage> {
    const said = message.type === 'result' && this.#output ? this.#output.read(message) : message;
    return said as SDKMessage | Promise<SDKMessage>;
  }

  /** Whether the agent's exit must be reported: it failed, or it ended without an answer to a prompt. */
  #isUnexplained({ code }: ExitInfo): boolean {
    if (this.#closing) return false;
    return code === 0 ? this.#unanswered > 0 : !this.#resultReported;
  }

  /** Without `end_input` the end of its stdin is the only way to tell an agent that no more input comes. */
  #onResult(result: JsonObject, transport: Transport): void {
    this.#unanswered = 0;
    const pending = Array.isArray(result.pending_tasks) ? result.pending_tasks.length : 0;
    if (this.#inputDone && pending === 0 && this.#state === null) transport.endInput();
  }

  /** An agent that reports its state may send requests after a result, until it is idle. */
  #onState(line: JsonObject, transport: Transport): void {
    this.#state = stringField(line, 'state') ?? null;
    if (this.#state === 'idle' && this.#inputDone && this.#unanswered === 0) transport.endInput();
  }

  /**
   * For an agent that was named by its path: reads the version from this line, so that the agent need not be started
   * twice.
   */
  #noteVersion(line: JsonObject): void {
    const { pathToHeddleExecutable, pathToClaudeCodeExecutable, transport } = this.#options;
    const version = stringField(line, 'claude_code_version');
    if (this.#versionNoted || version === undefined || transport) return;
    if (!pathToHeddleExecutable && !pathToClaudeCodeExecutable) return;
    this.#versionNoted = true;
    warnIfOld(version, this.#options.env);
  }

  #badLine(error: Error): void {
    const failure = toHeddleError(error);
    // Unlike a stray word on stdout, this was surely a message: without it the stream would be incomplete.
    if (failure.code === 'line_too_long') {
      this.fail(failure);
      return;
    }
    if (this.#options.onError) this.#reportToHost(failure);
    else this.#reportToHost(new HeddleError(failure.code, `Skipped a line that could not be read: ${failure.message}`));
  }

  /** A broken pipe is often the first sign of a dead agent. The agent's last output and its exit say more. */
  async failWithAgent(error: unknown): Promise<void> {
    const isEnd = HeddleError.isInstance(error) && ENDS.has(error.code);
    if (isEnd) await within(EXIT_GRACE_MS, this.#reading);
    this.fail(error);
  }
}

const CLOSED = 'This conversation is closed: createSession() opens another, resumeSession(id) goes on with this one';

const ENDS: ReadonlySet<ErrorCode> = new Set(['closed', 'process_failed', 'run_failed']);

/** The requests that an agent lists in its answer to `initialize`. */
const OPEN_REQUESTS = ['pending_permission_requests', 'pending_elicitation_requests', 'pending_user_dialog_requests'];

/** An agent that resumes answers only after the program's store has listed and loaded the session. */
function storeTimeMs({ sessionStore, loadTimeoutMs = LOAD_TIMEOUT_MS }: GivenOptions): number {
  return sessionStore ? 2 * loadTimeoutMs : 0;
}

function isStateLine({ type, subtype }: JsonObject): boolean {
  return type === 'system' && subtype === 'session_state_changed';
}

function isCommandsChanged(message: Message): message is CommandsChangedMessage {
  return message.type === 'system' && message.subtype === 'commands_changed';
}

/** Short and unique within the connection. */
function requestIds(): () => string {
  let count = 0;
  const prefix = Math.random().toString(36).slice(2, 10);
  return () => `${prefix}${(++count).toString(36)}`;
}
