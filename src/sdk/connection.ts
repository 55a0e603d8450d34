import { isObject, type JsonObject, stringField } from '../util/json.ts';
import { within } from '../util/timer.ts';
import { badOption } from '../wire/check-named.ts';
import type { InitializeResponse, SlashCommand } from '../wire/control/index.ts';
import { AbortError, ControlError, type ErrorCode, HeddleError, toHeddleError } from '../wire/errors.ts';
import { exitError } from '../wire/exit-errors.ts';
import type { CommandsChangedMessage } from '../wire/messages/notices.ts';
import type { Message, ParsedMessage } from '../wire/messages/parse.ts';
import type { SDKMessage } from '../wire/messages/sdk.ts';
import { type CallOptions, type ControlBody, Peer } from '../wire/peer.ts';
import type { ExitInfo, Transport } from '../wire/transport.ts';
import { initializeBody, type Prepared, toLaunch } from './args.ts';
import { checkInput, unsendable } from './check-options.ts';
import type { HostCallbacks } from './host-callbacks.ts';
import { LOAD_TIMEOUT_MS } from './load-timeout.ts';
import type { McpServers } from './mcp-servers.ts';
import type { GivenOptions } from './options.ts';
import { zodIn } from './output-schema.ts';
import { programTools } from './program-tools.ts';
import type { OutputSchema } from './read-output.ts';
import { hostTeller, type TellHost } from './tell-host.ts';

const INITIALIZE_TIMEOUT_MS = 60_000;
/** How long what a dead agent has written may still be on its way. */
const READ_GRACE_MS = 1000;
/** How long a pipe that broke waits for the end of the agent behind it, before it is told by itself. */
const EXIT_GRACE_MS = 2000;
/** How long an agent whose input has ended may take to end by itself. */
const END_GRACE_MS = 500;
/** How long an agent that has said its last word may take to be gone. */
const LAST_GRACE_MS = 30_000;

const NEVER_STARTED: ExitInfo = { code: null, signal: null, stderr: '' };

/** Takes the messages of a connection in order, and how they ended: just so, or by an error. */
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
 * A running agent and the conversation with it: what `query`, sessions and the client have in common. It starts at
 * once, initializes, reads everything into its sink, answers the agent's questions from the options, and ends in one of
 * four ways: the agent ends, `close` or `shutDown` is called, the abortController fires, or something breaks.
 */
export class Connection {
  readonly #options: GivenOptions;
  readonly #sink: MessageSink;
  /** Loaded beside what starts the agent. */
  readonly #host: Promise<HostCallbacks>;
  readonly #tellHost: TellHost;
  /** Rejects for every caller at once when the start fails. */
  readonly #connected: Promise<Link>;
  /** The agent's answer to initialize. */
  readonly initialized: Promise<InitializeResponse>;
  /** The commands as the agent has told them since; null when they have not changed. */
  commands: readonly SlashCommand[] | null = null;
  #transport: Transport | null = null;
  #prepared: Prepared = {};
  /** Of a schema of zod: what it makes of the output of a result. */
  #output: OutputSchema | null = null;
  /** Answers shall be told while they grow, though no option says so: settles when that was asked for. Never rejects. */
  #partials: Promise<void> | null = null;
  /** Settles when the agent has said all and its end has been told. */
  #reading: Promise<void> = Promise.resolve();
  /** How much was sent that wants an answer, since the last result; without what was refused. */
  #unanswered = 0;
  /** A result has reached the caller, so that the exit code is no news. */
  #resultTold = false;
  #versionNoted = false;
  #closing = false;
  /** The agent cannot be told that no more comes, other than by closing its stdin. */
  #inputDone = false;
  /** What the agent has said last that it is at; null: it tells nothing of that kind. */
  #state: string | null = null;

  constructor(options: GivenOptions, sink: MessageSink) {
    this.#options = options;
    this.#sink = sink;
    this.#tellHost = hostTeller(options);
    this.#host = this.#loadHost();
    this.#host.catch(() => {}); // told to whoever connects
    const signal = options.abortController?.signal;
    if (signal?.aborted) this.fail(new AbortError());
    else signal?.addEventListener('abort', this.#onAbort, { once: true });
    this.#connected = this.#connect();
    this.initialized = this.#connected.then((link) => this.#initialize(link));
    this.initialized.catch((error) => this.failWithAgent(error));
  }

  async #loadHost(): Promise<HostCallbacks> {
    const { hostCallbacks } = await import('./host-callbacks.ts');
    return hostCallbacks(this.#options, { callAgent: (request) => this.call(request), tell: this.#tellHost });
  }

  get pid(): number | undefined {
    return this.#transport?.pid;
  }

  /** A control request; resolves with the body of the answer. Waits for the connection, not for `initialize`. */
  async call(request: ControlBody): Promise<unknown> {
    const { peer } = await this.#connected;
    return peer.call(request);
  }

  /** Initializes once more, and answers what the agent says it still waits for. What is being answered is left alone. */
  async reinitialize(): Promise<InitializeResponse> {
    const link = await this.#connected;
    const { peer } = link;
    return this.#initialize(link, (response) => peer.serveAgain(OPEN_REQUESTS.flatMap((list) => response[list] ?? [])));
  }

  /** Has answers told while they grow, where the agent can do that. What is sent from now on waits until it was asked. */
  wantPartials(): void {
    if (!this.#options.includePartialMessages) this.#partials ??= this.#askForPartials().catch(() => {});
  }

  async #askForPartials(): Promise<void> {
    const { capabilities } = await this.initialized;
    if (!capabilities?.includes('partial_messages')) return;
    await this.call({ subtype: 'set_partial_messages', enabled: true });
  }

  /** Whether a message is only there because of `wantPartials`. */
  isUnaskedPartial(message: SDKMessage): boolean {
    if (!this.#partials) return false;
    return message.type === 'stream_event' || (message as JsonObject).status === 'requesting';
  }

  /** Servers that live here must be there before the agent hears of them. */
  async addServers(servers: McpServers): Promise<void> {
    await (await this.#host).addServers(servers);
  }

  /** Hands one message on; resolves when it is on its way. Rejects with `closed` when nobody will read it. */
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

  /** Sends what a stream yields, one after the other; resolves when it has ended. */
  async sendAll(stream: AsyncIterable<unknown>): Promise<void> {
    await this.#connected;
    let position = 0;
    for await (const item of stream) {
      if (this.#closing) return;
      await this.send(checkInput(item, ++position), position);
    }
  }

  /** End of input is not end of control: stdin stays open for answers until the agent has finished (ruling K2). */
  async endInput(): Promise<void> {
    if (this.#closing) return;
    const { transport } = await this.#connected;
    const { capabilities } = await this.initialized;
    if (Array.isArray(capabilities) && capabilities.includes('end_input')) {
      await this.call({ subtype: 'end_input' }).catch((error) => {
        if (error instanceof ControlError) transport.endInput(); // else: the agent ended before it could answer
      });
      return;
    }
    this.#inputDone = true;
    if (this.#unanswered === 0 && (this.#state === null || this.#state === 'idle')) transport.endInput();
  }

  /** Ends an agent that may finish by itself: its input ends first, and only then is it ended by force. */
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

  /** Ends the stream with an error, and the agent with it. */
  fail(error: unknown): void {
    if (this.#sink.ended) return;
    this.#sink.fail(error instanceof Error ? error : toHeddleError(error));
    this.close().catch(() => {});
  }

  readonly #onAbort = () => this.fail(new AbortError());

  async #connect(): Promise<Link> {
    // Loaded now and not before: a program that only imports this package shall not pay for it.
    const parsing = import('../wire/messages/parse.ts');
    if (this.#needsPreparing) await this.#prepare();
    const connect = this.#options.transport ?? (await import('./subprocess.ts')).subprocess(this.#options);
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

  /** Reads schemas of zod, which takes a moment. Before the connection: nothing may be written before `initialize`. */
  async #prepare(): Promise<void> {
    const zod = zodIn(this.#options.outputFormat);
    this.#output = zod && (await (await import('./read-output.ts')).readOutputSchema(zod));
    const tools = await (await this.#host).tools?.described();
    this.#prepared = { ...(this.#output && { jsonSchema: this.#output.json }), ...(tools && { tools }) };
  }

  /** A process that the agent left behind may hold its output open; once the agent is gone, nothing more can come. */
  #endWithAgent(peer: Peer, transport: Transport): void {
    transport.exit.then(() => {
      const timer = setTimeout(() => transport.close().catch(() => {}), READ_GRACE_MS);
      peer.done.finally(() => clearTimeout(timer));
    });
  }

  /** Writes before it waits for anything: what was sent meanwhile comes behind it. */
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
        this.#sink.push(said instanceof Promise ? await said : said); // nothing waits that need not
      } else this.#badLine(parsed.error);
      if (line.type === 'system' && line.subtype === 'init') this.#noteVersion(line);
      if (parsed.ok && isCommandsChanged(parsed.message)) this.commands = parsed.message.commands;
      if (line.type === 'system' && line.subtype === 'input_error')
        this.#unanswered = Math.max(0, this.#unanswered - 1);
      if (line.type !== 'result') continue;
      this.#resultTold ||= parsed.ok;
      // Also for one that could not be read: the agent waits for the end of its input.
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

  /** Whether the end of the agent is itself the news: it failed, or left what it was asked without any answer. */
  #isUnexplained({ code }: ExitInfo): boolean {
    if (this.#closing) return false;
    return code === 0 ? this.#unanswered > 0 : !this.#resultTold;
  }

  /** Without `end_input` the only way to tell an agent that no more comes is to close its stdin (ruling K2). */
  #onResult(result: JsonObject, transport: Transport): void {
    this.#unanswered = 0;
    const pending = Array.isArray(result.pending_tasks) ? result.pending_tasks.length : 0;
    if (this.#inputDone && pending === 0 && this.#state === null) transport.endInput();
  }

  /** One that tells its state may have more to ask behind a result, until it is idle (ruling K49). */
  #onState(line: JsonObject, transport: Transport): void {
    this.#state = stringField(line, 'state') ?? null;
    if (this.#state === 'idle' && this.#inputDone && this.#unanswered === 0) transport.endInput();
  }

  /** Of an agent that was named by its path: it is not started a second time to be asked. */
  #noteVersion(line: JsonObject): void {
    const { pathToHeddleExecutable, pathToClaudeCodeExecutable, transport } = this.#options;
    const version = stringField(line, 'claude_code_version');
    if (this.#versionNoted || version === undefined || transport) return;
    if (!pathToHeddleExecutable && !pathToClaudeCodeExecutable) return;
    this.#versionNoted = true;
    import('./subprocess-version.ts').then(({ warnIfOld }) => warnIfOld(version, this.#options.env)).catch(() => {});
  }

  #badLine(error: Error): void {
    const told = toHeddleError(error);
    // Unlike a stray word on stdout, this was surely a message: without it the stream is not what the agent said.
    if (told.code === 'line_too_long') {
      this.fail(told);
      return;
    }
    if (this.#options.onError) this.#tellHost(told);
    else this.#tellHost(new HeddleError(told.code, `Skipped a line that could not be read: ${told.message}`));
  }

  /** A pipe that breaks is often the first sign of a dead agent. What it said last, and how it ended, tell more. */
  async failWithAgent(error: unknown): Promise<void> {
    const isEnd = HeddleError.isInstance(error) && ENDS.has(error.code);
    if (isEnd) await within(EXIT_GRACE_MS, this.#reading);
    this.fail(error);
  }
}

const CLOSED = 'This conversation is closed: createSession() opens another, resumeSession(id) goes on with this one';

/** What a program connects by itself may be anything. */
function checkTransport(given: Transport): Transport {
  const methods = ['connect', 'write', 'readMessages', 'endInput', 'close', 'isReady'];
  const missing = methods.filter((name) => typeof (given as unknown as JsonObject | undefined)?.[name] !== 'function');
  if (missing.length === 0) return given;
  const what = `options.transport must return a Transport; it has no ${missing.join(', ')}`;
  throw badOption('transport', `${what}. For an engine in this process: transport: inProcess(engine)`);
}

const ENDS: ReadonlySet<ErrorCode> = new Set(['closed', 'process_failed', 'run_failed']);

/** The requests that an agent lists beside its answer to `initialize`. */
const OPEN_REQUESTS = ['pending_permission_requests', 'pending_elicitation_requests', 'pending_user_dialog_requests'];

/** An agent that resumes answers when the store of this program has listed and loaded what it needs. */
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
