import { isObject, type JsonObject, stringField } from '../util/json.ts';
import { printable } from '../util/printable.ts';
import { startTimer } from '../util/timer.ts';
import {
  isRpcRequest,
  MCP_VERSIONS,
  RPC_ERRORS,
  RpcError,
  type RpcNotification,
  type RpcRequest,
  rpcFailure,
  rpcNotification,
  rpcResult,
} from '../wire/json-rpc.ts';
import { HEDDLE_VERSION } from '../wire/version.ts';
import { MAX_ASKED, MAX_PAGES } from './limits.ts';
import { type BoundedList, boundedList } from './list-bounds.ts';
import {
  type McpToolInfo,
  readServerFacts,
  readToolList,
  type ServerFacts,
  type ServerInfo,
} from './server-answers.ts';

/** Carries JSON-RPC messages to one server. What the server says by itself goes to `McpClient.receive`. */
export interface McpLink {
  /** Resolves with the response to just this request; rejects when there will be none. The signal withdraws it. */
  request(message: RpcRequest, signal: AbortSignal): Promise<JsonObject>;
  notify(message: RpcNotification): Promise<void>;
  close(): Promise<void>;
}

/** What a host that knows a server already says of it, so that it need not be asked (ruling K45). */
export interface Manifest {
  initializeResult?: unknown;
  toolsListResult?: unknown;
}

export interface McpClientOptions extends Partial<ClientFace> {
  link: McpLink;
  /** Milliseconds for everything but tool calls. */
  timeoutMs: number;
  manifest?: Manifest;
  /** What the server has of this kind is not what it was. */
  onListChanged(list: ServerList): void;
  /** Some of what the server has is not taken; the words go on from its name. Told once of each kind. */
  onLeftOut?(what: string): void;
}

/** What whoever opens a client hands on to it. */
export type ClientSeams = Partial<ClientFace> & Pick<McpClientOptions, 'onListChanged' | 'onLeftOut'>;

/** The lists of a server that may change while it is connected. */
export type ServerList = 'tools' | 'prompts' | 'resources';

/** What a session does for a server that asks something by itself. */
export interface ClientFace {
  /** As the server is told in the beginning. */
  capabilities: JsonObject;
  /** Answers a request. Throws RpcError; undefined: there is no such method. */
  answer(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject> | undefined;
  /** Hears of everything that is neither an answer nor this client's own affair. */
  hear(method: string, params: JsonObject): void;
}

export interface ToolCallRequest {
  name: string;
  arguments: JsonObject;
  toolUseId: string;
  /** The W3C trace context that the call belongs to. */
  trace?: Readonly<Record<string, string>>;
}

export interface CallOptions {
  signal: AbortSignal;
  timeoutMs: number;
  /** Told whenever the server tells how far it is. */
  onProgress?(progress: McpProgress): void;
}

/** How far a call is, as far as the server says. */
export interface McpProgress {
  progress?: number;
  total?: number;
  message?: string;
}

/** Time beyond which a server counts as hanging. */
export class McpTimeout extends Error {
  override readonly name = 'McpTimeout';
}

/**
 * The client's end of one MCP connection. Every request settles: with the response, when its time is up, or when its
 * signal aborts; in the last two cases the server is told.
 */
export class McpClient {
  readonly #options: McpClientOptions;
  /** What is waited for, by the token under which a server tells its progress: it gets its time anew. */
  readonly #progress = new Map<unknown, (progress: McpProgress) => void>();
  /** What the server has asked and may still withdraw, by its ids. */
  readonly #asked = new Map<unknown, AbortController>();
  /** What was said already of what is not taken: it would be said with every list that is read. */
  readonly #leftOut = new Set<string>();
  #nextId = 0;
  /** What the server has said of itself. */
  facts: ServerFacts = { serverInfo: undefined, capabilities: {}, instructions: '' };

  constructor(options: McpClientOptions) {
    this.#options = options;
  }

  get serverInfo(): ServerInfo | undefined {
    return this.facts.serverInfo;
  }

  /** Introduces itself to the server. Rejects with what the server or the link says. */
  async initialize(signal: AbortSignal): Promise<void> {
    const { manifest, capabilities = {}, link } = this.#options;
    if (manifest?.initializeResult !== undefined) {
      this.#nextId++;
      this.facts = readServerFacts(manifest.initializeResult);
      return;
    }
    const clientInfo = { name: 'heddle', version: HEDDLE_VERSION };
    const params = { protocolVersion: MCP_VERSIONS[0], capabilities, clientInfo };
    const result = await this.request('initialize', params, { signal });
    checkVersion(stringField(result, 'protocolVersion'));
    this.facts = readServerFacts(result);
    await link.notify(rpcNotification('notifications/initialized'));
  }

  /** All tools of the server, from as many pages as it has. */
  async listTools(signal: AbortSignal): Promise<McpToolInfo[]> {
    const { manifest } = this.#options;
    if (manifest?.toolsListResult !== undefined) {
      this.#nextId++;
      const { tools } = readToolList(manifest.toolsListResult);
      manifest.toolsListResult = undefined; // true at the start; whoever asks later asks the server
      const list = this.#boundedList<McpToolInfo>('tools/list');
      list.add(tools);
      return [...list.items];
    }
    if (this.#hasOnlyOthers()) return [];
    return this.listPages('tools/list', (page) => readToolList(page).tools, signal);
  }

  /** Whether the server says that it has something of this kind. */
  has(list: ServerList): boolean {
    return this.facts.capabilities[list] !== undefined;
  }

  /** The items of a list, from as many pages as it has, within what is taken of a server. */
  async listPages<T>(method: string, read: (page: JsonObject) => readonly T[], signal: AbortSignal): Promise<T[]> {
    const list = this.#boundedList<T>(method);
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES; page++) {
      const result = await this.request(method, cursor === undefined ? undefined : { cursor }, { signal });
      const nextCursor = stringField(result, 'nextCursor');
      if (!list.add(read(result)) || nextCursor === undefined || nextCursor === cursor) return [...list.items];
      cursor = nextCursor;
    }
    this.#noteLeftOut(`answers ${method} with more than ${MAX_PAGES} pages: the others are not read`);
    return [...list.items];
  }

  /** Runs a tool. A failure of the tool itself is a result; a rejection means that there is none. */
  callTool(call: ToolCallRequest, options: CallOptions): Promise<JsonObject> {
    const progressToken = this.#nextId;
    const _meta = { ...call.trace, 'claudecode/toolUseId': call.toolUseId, progressToken };
    const params = { name: call.name, arguments: call.arguments, _meta };
    return this.request('tools/call', params, { ...options, progressToken });
  }

  /** Tells the server something. A link that is gone need not be told. */
  async tell(method: string, params?: JsonObject): Promise<void> {
    await this.#options.link.notify(rpcNotification(method, params)).catch(() => {});
  }

  /** Takes what the server says by itself. The response, if it was a request that still wants one. */
  async receive(message: JsonObject): Promise<JsonObject | null> {
    if (isRpcRequest(message)) return this.#answer(message);
    const params = isObject(message.params) ? message.params : {};
    const method = stringField(message, 'method') ?? '';
    const list = LISTS.find((each) => method === `notifications/${each}/list_changed`);
    if (list) this.#options.onListChanged(list);
    else if (method === 'notifications/progress') this.#progress.get(params.progressToken)?.(readProgress(params));
    else if (method === 'notifications/cancelled') this.#asked.get(params.requestId)?.abort();
    else this.#options.hear?.(method, params);
    return null;
  }

  async close(): Promise<void> {
    for (const asked of this.#asked.values()) asked.abort();
    await this.#options.link.close();
  }

  /** Asks the server. Rejects with RpcError for what it refuses, with McpTimeout, or with the reason of the signal. */
  async request(method: string, params: JsonObject | undefined, options: RequestOptions): Promise<JsonObject> {
    const { link, timeoutMs: usualMs } = this.#options;
    const { signal, timeoutMs = usualMs, progressToken, onProgress } = options;
    const id = this.#nextId++;
    const late = new AbortController();
    const onTime = () => late.abort(new McpTimeout(`${method}: no answer within ${timeoutMs} ms`));
    let timer = startTimer(timeoutMs, onTime);
    if (progressToken !== undefined) {
      this.#progress.set(progressToken, (progress) => {
        clearTimeout(timer);
        timer = startTimer(timeoutMs, onTime);
        onProgress?.(progress);
      });
    }
    const given = AbortSignal.any([signal, late.signal]);
    const onAbort = () => this.#cancel(method, id);
    given.addEventListener('abort', onAbort, { once: true });
    try {
      given.throwIfAborted();
      const message: RpcRequest = { method, ...(params && { params }), jsonrpc: '2.0', id };
      return resultOf(await link.request(message, given));
    } catch (error) {
      throw given.aborted ? given.reason : error;
    } finally {
      clearTimeout(timer);
      given.removeEventListener('abort', onAbort);
      this.#progress.delete(progressToken);
    }
  }

  /** `method`: that of the list, `tools/list`. */
  #boundedList<T>(method: string): BoundedList<T> {
    return boundedList(method.replace(/\/list$/, ''), (what) => this.#noteLeftOut(what));
  }

  #noteLeftOut(what: string): void {
    if (this.#leftOut.has(what)) return;
    this.#leftOut.add(what);
    this.#options.onLeftOut?.(what);
  }

  /** A server that says it has prompts and no tools would answer with an error; one that says nothing is asked. */
  #hasOnlyOthers(): boolean {
    return !this.has('tools') && (this.has('prompts') || this.has('resources'));
  }

  /** Null for what the server has withdrawn meanwhile: nobody waits for it. */
  async #answer({ id, method, params = {} }: RpcRequest): Promise<JsonObject | null> {
    if (method === 'ping') return rpcResult(id, {});
    const refusal = this.#refusalOf(id);
    if (refusal) return rpcFailure(id, refusal);
    const stop = new AbortController();
    this.#asked.set(id, stop);
    try {
      const answer = this.#options.answer?.(method, params, stop.signal);
      if (!answer) throw new RpcError(RPC_ERRORS.unknownMethod, `There is no method ${method} here`);
      const result = await answer;
      return stop.signal.aborted ? null : rpcResult(id, result);
    } catch (error) {
      return stop.signal.aborted ? null : rpcFailure(id, error);
    } finally {
      this.#asked.delete(id);
    }
  }

  #refusalOf(id: RpcRequest['id']): RpcError | null {
    if (this.#asked.has(id)) return new RpcError(RPC_ERRORS.invalidRequest, 'A request with this id is being answered');
    if (this.#asked.size < MAX_ASKED) return null;
    return new RpcError(RPC_ERRORS.internal, `${MAX_ASKED} requests are being answered: try again later`);
  }

  /** MCP forbids to cancel the first request. */
  #cancel(method: string, requestId: number): void {
    if (method === 'initialize') return;
    void this.tell('notifications/cancelled', { requestId, reason: 'The call was given up' });
  }
}

const LISTS: readonly ServerList[] = ['tools', 'prompts', 'resources'];

interface RequestOptions extends Partial<CallOptions> {
  signal: AbortSignal;
  progressToken?: number;
}

/**
 * Throws for a version that is not spoken here: MCP wants a client to disconnect then. A server that names none is taken
 * for one that speaks what it was asked for.
 */
function checkVersion(version: string | undefined): void {
  if (version === undefined || MCP_VERSIONS.some((each) => each === version)) return;
  const theirs = printable(version.slice(0, SHOWN_VERSION));
  throw new Error(`it speaks the version ${theirs} of MCP, and Heddle speaks ${MCP_VERSIONS.join(', ')}`);
}

const SHOWN_VERSION = 40;

function readProgress({ progress, total, message }: JsonObject): McpProgress {
  return {
    ...(typeof progress === 'number' && { progress }),
    ...(typeof total === 'number' && { total }),
    ...(typeof message === 'string' && { message }),
  };
}

function resultOf({ result, error }: JsonObject): JsonObject {
  if (isObject(result)) return result;
  const code = isObject(error) && typeof error.code === 'number' ? error.code : RPC_ERRORS.internal;
  throw new RpcError(code, stringField(error, 'message') ?? 'The server gave neither a result nor an error');
}
