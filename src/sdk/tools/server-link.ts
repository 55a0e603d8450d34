import { raceAbort } from '../../util/abort.ts';
import { isObject, type JsonObject } from '../../util/json.ts';
import { messageOf } from '../../util/message-of.ts';
import { HeddleError } from '../../wire/errors.ts';
import {
  isRpcId,
  isRpcRequest,
  RPC_ERRORS,
  RpcError,
  type RpcId,
  type RpcRequest,
  rpcFailure,
} from '../../wire/link/json-rpc.ts';
import type { ReportToHost } from '../report-to-host.ts';

/** The transport of an MCP server: the `Transport` of the MCP SDK, as far as it is used. */
export interface McpTransport {
  start(): Promise<void>;
  send(message: JsonObject): Promise<void>;
  close(): Promise<void>;
  onmessage?: (message: JsonObject) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  /** Not part of the MCP SDK: reports errors in the program's tools to the program. */
  report?: ReportToHost;
}

export interface ServerLinkOptions {
  /** Sends a message of the server to the agent; resolves with the response, if it was a request. */
  toAgent(message: JsonObject): Promise<JsonObject | null>;
  /** The server was closed or released. */
  onClosed(): void;
  report: ReportToHost;
}

/**
 * The agent's side of the connection to a server in this program. It gives requests new numbers, because an agent may
 * restart and reuse its ids while older requests still run.
 */
export class ServerLink implements McpTransport {
  onmessage?: (message: JsonObject) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  readonly report: ReportToHost;
  readonly #options: ServerLinkOptions;
  /** By the new number. */
  readonly #waiting = new Map<
    RpcId,
    { given: RpcId; resolve(response: JsonObject): void; reject(error: Error): void }
  >();
  #count = 0;
  #isClosed = false;

  constructor(options: ServerLinkOptions) {
    this.#options = options;
    this.report = options.report;
  }

  async start(): Promise<void> {}

  /** A request of the agent, with the server's response. Rejects when the agent withdraws it or the server is gone. */
  async request(message: RpcRequest, signal: AbortSignal): Promise<JsonObject> {
    if (this.#isClosed) throw gone();
    const id = ++this.#count;
    const response = new Promise<JsonObject>((resolve, reject) => {
      this.#waiting.set(id, { given: message.id, resolve, reject });
    });
    this.onmessage?.({ ...message, id });
    try {
      return await raceAbort(response, signal);
    } catch (error) {
      if (signal.aborted) this.#cancel(id, 'The request was withdrawn');
      throw error;
    } finally {
      this.#waiting.delete(id);
    }
  }

  /** Passes on a message of the agent that has no response. */
  notify(message: JsonObject): void {
    if (message.method !== 'notifications/cancelled') {
      this.onmessage?.(message);
      return;
    }
    const params = isObject(message.params) ? message.params : {};
    const ours = [...this.#waiting].findLast(([, { given }]) => given === params.requestId)?.[0];
    if (ours !== undefined) this.#cancel(ours, params.reason);
  }

  /** Takes a message of the server: the response to a request, or a request or notification of its own. */
  async send(message: JsonObject): Promise<void> {
    if (typeof message.method === 'string') {
      this.#notify(message).catch((error) => this.onerror?.(error));
      return;
    }
    const waiting = isRpcId(message.id) ? this.#waiting.get(message.id) : undefined;
    waiting?.resolve(asJson({ ...message, id: waiting.given }));
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const { reject } of this.#waiting.values()) reject(gone());
    this.#options.onClosed();
    this.onclose?.();
  }

  #cancel(requestId: RpcId, reason: unknown): void {
    this.onmessage?.({ method: 'notifications/cancelled', params: { requestId, reason }, jsonrpc: '2.0' });
  }

  async #notify(message: JsonObject): Promise<void> {
    if (!isRpcRequest(message)) {
      await this.#options.toAgent(message).catch(() => null); // the server does not care whether the agent listens
      return;
    }
    const { id } = message;
    const response = await this.#options.toAgent(message).catch((error) => {
      return rpcFailure(id, new RpcError(RPC_ERRORS.unknownMethod, messageOf(error)));
    });
    this.onmessage?.(response ? { ...response, id } : { jsonrpc: '2.0', id, result: {} });
  }
}

/** Copies the message by JSON, as the wire would, also where the agent is in this process. */
function asJson(message: JsonObject): JsonObject {
  try {
    return JSON.parse(JSON.stringify(message)) as JsonObject;
  } catch (error) {
    return rpcFailure(message.id as RpcId, new Error(`The result is not JSON: ${messageOf(error)}`));
  }
}

function gone(): HeddleError {
  return new HeddleError('closed', 'The MCP server was closed');
}
