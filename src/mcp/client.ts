import { isObject, type JsonObject, stringField } from '../util/json.ts';
import { printable } from '../util/text/printable.ts';
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
} from '../wire/link/json-rpc.ts';
import { HEDDLE_VERSION } from '../wire/version.ts';
import { MAX_ASKED, MAX_PAGES } from './limits.ts';
import { type BoundedList, boundedList } from './list-bounds.ts';
import {
  type McpToolInfo,
  readServerDetails,
  readToolList,
  type ServerDetails,
  type ServerInfo,
} from './server-answers.ts';

/** Carries JSON-RPC messages to one server. Messages that the server sends on its own go to `McpClient.receive`. */
export interface McpLink {
  /**
   * Resolves with the response to this request; rejects when there will be none. Aborting the signal withdraws the
   * request.
   */
  request(message: RpcRequest, signal: AbortSignal): Promise<JsonObject>;
  notify(message: RpcNotification): Promise<void>;
  close(): Promise<void>;
}

/** A host's description of a server that it already knows, so that Heddle need not ask the server. */
export interface Manifest {
  initializeResult?: unknown;
  toolsListResult?: unknown;
}

export interface McpClientOptions extends Partial<ClientHandler> {
  link: McpLink;
  /** Milliseconds for every request except tool calls. */
  timeoutMs: number;
  manifest?: Manifest;
  /** Called when the server's list of this kind has changed. */
  onListChanged(list: ServerList): void;
  /**
   * Called when some items of a list are left out, once for each kind. The text continues a sentence that starts with
   * the server's name.
   */
  onLeftOut?(what: string): void;
}

/** The options that the opener of a connection passes on to its client. */
export type ClientDependencies = Partial<ClientHandler> & Pick<McpClientOptions, 'onListChanged' | 'onLeftOut'>;

/** The lists of a server that may change while it is connected. */
export type ServerList = 'tools' | 'prompts' | 'resources';

/** How a session handles the requests and notifications that a server sends on its own. */
export interface ClientHandler {
  /** The capabilities that Heddle declares to the server in `initialize`. */
  capabilities: JsonObject;
  /** Answers a request. Throws RpcError; undefined: the method is unknown. */
  answer(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject> | undefined;
  /** Receives every notification that the client does not handle itself. */
  observe(method: string, params: JsonObject): void;
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
  /** Called whenever the server reports progress. */
  onProgress?(progress: McpProgress): void;
}

/** The progress of a call, as far as the server reports it. */
export interface McpProgress {
  progress?: number;
  total?: number;
  message?: string;
}

/** A server did not answer within its time limit. */
export class McpTimeout extends Error {
  override readonly name = 'McpTimeout';
}

/**
 * The client's end of one MCP connection. Every request settles: with the response, at its timeout, or when its signal
 * aborts; in the last two cases the client sends the server a cancellation.
 */
export class McpClient {
  readonly #options: McpClientOptions;
  /** Waiting calls by their progress token; each progress report restarts the timeout. */
  readonly #progress = new Map<unknown, (progress: McpProgress) => void>();
  /** Requests of the server that it may still withdraw, by their ids. */
  readonly #asked = new Map<unknown, AbortController>();
  /** The kinds of left-out items already reported: each reading of a list would report them again. */
  readonly #leftOut = new Set<string>();
  #nextId = 0;
  /** The server's answer to `initialize`. */
  details: ServerDetails = { serverInfo: undefined, capabilities: {}, instructions: '' };

  constructor(options: McpClientOptions) {
    this.#options = options;
  }

  get serverInfo(): ServerInfo | undefined {
    return this.details.serverInfo;
  }

  /** Sends `initialize` to the server. Rejects with the error of the server or the link. */
  async initialize(signal: AbortSignal): Promise<void> {
    const { manifest, capabilities = {}, link } = this.#options;
    if (manifest?.initializeResult !== undefined) {
      this.#nextId++;
      this.details = readServerDetails(manifest.initializeResult);
      return;
    }
    const clientInfo = { name: 'heddle', version: HEDDLE_VERSION };
    const params = { protocolVersion: MCP_VERSIONS[0], capabilities, clientInfo };
    const result = await this.request('initialize', params, { signal });
    checkVersion(stringField(result, 'protocolVersion'));
    this.details = readServerDetails(result);
    await link.notify(rpcNotification('notifications/initialized'));
  }

  /** All tools of the server, from all pages. */
  async listTools(signal: AbortSignal): Promise<McpToolInfo[]> {
    const { manifest } = this.#options;
    if (manifest?.toolsListResult !== undefined) {
      this.#nextId++;
      const { tools } = readToolList(manifest.toolsListResult);
      manifest.toolsListResult = undefined; // the manifest is valid only at the start; later calls ask the server
      const list = this.#boundedList<McpToolInfo>('tools/list');
      list.add(tools);
      return [...list.items];
    }
    if (this.#hasOnlyOthers()) return [];
    return this.listPages('tools/list', (page) => readToolList(page).tools, signal);
  }

  /** Whether the server declares that it has items of this kind. */
  has(list: ServerList): boolean {
    return this.details.capabilities[list] !== undefined;
  }

  /** The items of a list from all pages, within the limits that Heddle sets for a server. */
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

  /** Runs a tool. A failure of the tool itself is a result; a rejection means that there is no result. */
  callTool(call: ToolCallRequest, options: CallOptions): Promise<JsonObject> {
    const progressToken = this.#nextId;
    const _meta = { ...call.trace, 'claudecode/toolUseId': call.toolUseId, progressToken };
    const params = { name: call.name, arguments: call.arguments, _meta };
    return this.request('tools/call', params, { ...options, progressToken });
  }

  /** Sends a notification to the server. A closed link is ignored. */
  async notify(method: string, params?: JsonObject): Promise<void> {
    await this.#options.link.notify(rpcNotification(method, params)).catch(() => {});
  }

  /**
   * Handles a message that the server sends on its own. Resolves with the response, if the message was a request that
   * still needs one.
   */
  async receive(message: JsonObject): Promise<JsonObject | null> {
    if (isRpcRequest(message)) return this.#answer(message);
    const params = isObject(message.params) ? message.params : {};
    const method = stringField(message, 'method') ?? '';
    const list = LISTS.find((each) => method === `notifications/${each}/list_changed`);
    if (list) this.#options.onListChanged(list);
    else if (method === 'notifications/progress') this.#progress.get(params.progressToken)?.(readProgress(params));
    else if (method === 'notifications/cancelled') this.#asked.get(params.requestId)?.abort();
    else this.#options.observe?.(method, params);
    return null;
  }

  async close(): Promise<void> {
    for (const asked of this.#asked.values()) asked.abort();
    await this.#options.link.close();
  }

  /**
   * Sends a request. Rejects with RpcError when the server refuses it, with McpTimeout, or with the reason of the
   * signal.
   */
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

  /** `method`: the method of the list, such as `tools/list`. */
  #boundedList<T>(method: string): BoundedList<T> {
    return boundedList(method.replace(/\/list$/, ''), (what) => this.#noteLeftOut(what));
  }

  #noteLeftOut(what: string): void {
    if (this.#leftOut.has(what)) return;
    this.#leftOut.add(what);
    this.#options.onLeftOut?.(what);
  }

  /** A server that declares prompts and no tools would answer with an error; one that declares nothing is asked. */
  #hasOnlyOthers(): boolean {
    return !this.has('tools') && (this.has('prompts') || this.has('resources'));
  }

  /** Null for a request that the server has withdrawn meanwhile: it no longer waits for an answer. */
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

  /** MCP forbids cancelling the first request. */
  #cancel(method: string, requestId: number): void {
    if (method === 'initialize') return;
    void this.notify('notifications/cancelled', { requestId, reason: 'The call was given up' });
  }
}

const LISTS: readonly ServerList[] = ['tools', 'prompts', 'resources'];

interface RequestOptions extends Partial<CallOptions> {
  signal: AbortSignal;
  progressToken?: number;
}

/**
 * Throws for a version that Heddle does not support: MCP requires the client to disconnect then. A server that names no
 * version is assumed to support the requested one.
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
