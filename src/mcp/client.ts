import { isObject, type JsonObject, stringField } from '../util/json.ts';
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
}

/** What whoever opens a client hands on to it. */
export type ClientSeams = Partial<ClientFace> & Pick<McpClientOptions, 'onListChanged'>;

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

/** As many pages as a list may have: a server that turns in a circle must not hold up the session. */
const MAX_PAGES = 100;

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
    this.facts = readServerFacts(await this.request('initialize', params, { signal }));
    await link.notify(rpcNotification('notifications/initialized'));
  }

  /** All tools of the server, from as many pages as it has. */
  async listTools(signal: AbortSignal): Promise<McpToolInfo[]> {
    const { manifest } = this.#options;
    if (manifest?.toolsListResult !== undefined) {
      this.#nextId++;
      const { tools } = readToolList(manifest.toolsListResult);
      manifest.toolsListResult = undefined; // true at the start; whoever asks later asks the server
      return tools;
    }
    if (this.#hasOnlyOthers()) return [];
    return this.listPages('tools/list', (page) => readToolList(page).tools, signal);
  }

  /** Whether the server says that it has something of this kind. */
  has(list: ServerList): boolean {
    return this.facts.capabilities[list] !== undefined;
  }

  /** All items of a list, from as many pages as it has. */
  async listPages<T>(method: string, read: (page: JsonObject) => readonly T[], signal: AbortSignal): Promise<T[]> {
    const all: T[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES; page++) {
      const result = await this.request(method, cursor === undefined ? undefined : { cursor }, { signal });
      for (const item of read(result)) all.push(item); // a page may have more than a call takes arguments
      const nextCursor = stringField(result, 'nextCursor');
      if (nextCursor === undefined || nextCursor === cursor) break;
      cursor = nextCursor;
    }
    return all;
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

  /** A server that says it has prompts and no tools would answer with an error; one that says nothing is asked. */
  #hasOnlyOthers(): boolean {
    return !this.has('tools') && (this.has('prompts') || this.has('resources'));
  }

  /** Null for what the server has withdrawn meanwhile: nobody waits for it. */
  async #answer({ id, method, params = {} }: RpcRequest): Promise<JsonObject | null> {
    if (method === 'ping') return rpcResult(id, {});
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
