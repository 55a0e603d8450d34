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
import { type McpToolInfo, readServerInfo, readToolList, type ServerInfo } from './server-answers.ts';

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

export interface McpClientOptions {
  link: McpLink;
  /** Milliseconds for everything but tool calls. */
  timeoutMs: number;
  capabilities?: JsonObject;
  manifest?: Manifest;
  onToolsChanged(): void;
}

export interface ToolCallRequest {
  name: string;
  arguments: JsonObject;
  toolUseId: string;
}

/** Time beyond which a server counts as hanging. */
export class McpTimeout extends Error {
  override readonly name = 'McpTimeout';
}

/** As many pages of tools as a server may have: one that turns in a circle must not hold up the session. */
const MAX_PAGES = 100;

/**
 * The client's end of one MCP connection. Every request settles: with the response, when its time is up, or when its
 * signal aborts; in the last two cases the server is told.
 */
export class McpClient {
  readonly #options: McpClientOptions;
  /** What is waited for, by the token under which a server tells its progress: it gets its time anew. */
  readonly #progress = new Map<unknown, () => void>();
  #nextId = 0;
  serverInfo: ServerInfo | undefined;

  constructor(options: McpClientOptions) {
    this.#options = options;
  }

  /** Introduces itself to the server. Rejects with what the server or the link says. */
  async initialize(signal: AbortSignal): Promise<void> {
    const { manifest, capabilities = {}, link } = this.#options;
    if (manifest?.initializeResult !== undefined) {
      this.#nextId++;
      this.serverInfo = readServerInfo(manifest.initializeResult);
      return;
    }
    const clientInfo = { name: 'heddle', version: HEDDLE_VERSION };
    const params = { protocolVersion: MCP_VERSIONS[0], capabilities, clientInfo };
    this.serverInfo = readServerInfo(await this.#request('initialize', params, { signal }));
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
    const all: McpToolInfo[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES; page++) {
      const params = cursor === undefined ? undefined : { cursor };
      const { tools, nextCursor } = readToolList(await this.#request('tools/list', params, { signal }));
      all.push(...tools);
      if (nextCursor === undefined || nextCursor === cursor) break;
      cursor = nextCursor;
    }
    return all;
  }

  /** Runs a tool. A failure of the tool itself is a result; a rejection means that there is none. */
  callTool(call: ToolCallRequest, options: { signal: AbortSignal; timeoutMs: number }): Promise<JsonObject> {
    const progressToken = this.#nextId;
    const _meta = { 'claudecode/toolUseId': call.toolUseId, progressToken };
    const params = { name: call.name, arguments: call.arguments, _meta };
    return this.#request('tools/call', params, { ...options, progressToken });
  }

  /** Takes what the server says by itself. The response, if it was a request. */
  receive(message: JsonObject): JsonObject | null {
    if (isRpcRequest(message)) return answerServer(message);
    const params = isObject(message.params) ? message.params : {};
    if (message.method === 'notifications/progress') this.#progress.get(params.progressToken)?.();
    if (message.method === 'notifications/tools/list_changed') this.#options.onToolsChanged();
    return null;
  }

  async close(): Promise<void> {
    await this.#options.link.close();
  }

  async #request(method: string, params: JsonObject | undefined, options: RequestOptions): Promise<JsonObject> {
    const { link, timeoutMs: usualMs } = this.#options;
    const { signal, timeoutMs = usualMs, progressToken } = options;
    const id = this.#nextId++;
    const late = new AbortController();
    const onTime = () => late.abort(new McpTimeout(`${method}: no answer within ${timeoutMs} ms`));
    let timer = startTimer(timeoutMs, onTime);
    if (progressToken !== undefined) {
      this.#progress.set(progressToken, () => {
        clearTimeout(timer);
        timer = startTimer(timeoutMs, onTime);
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

  /** MCP forbids to cancel the first request. */
  #cancel(method: string, requestId: number): void {
    if (method === 'initialize') return;
    const message = rpcNotification('notifications/cancelled', { requestId, reason: 'The call was given up' });
    this.#options.link.notify(message).catch(() => {}); // a link that is gone has cancelled it, too
  }
}

interface RequestOptions {
  signal: AbortSignal;
  timeoutMs?: number;
  progressToken?: number;
}

function resultOf({ result, error }: JsonObject): JsonObject {
  if (isObject(result)) return result;
  const code = isObject(error) && typeof error.code === 'number' ? error.code : RPC_ERRORS.internal;
  throw new RpcError(code, stringField(error, 'message') ?? 'The server gave neither a result nor an error');
}

function answerServer(request: RpcRequest): JsonObject {
  if (request.method === 'ping') return rpcResult(request.id, {});
  return rpcFailure(request.id, new RpcError(RPC_ERRORS.unknownMethod, `There is no method ${request.method} here`));
}
