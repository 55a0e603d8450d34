import { isObject, type JsonObject } from '../util/json.ts';
import { HeddleError } from '../wire/errors.ts';
import { isRpcId, RPC_ERRORS, RpcError, type RpcId, rpcNotification, rpcResult } from '../wire/link/json-rpc.ts';
import type { Transport } from '../wire/link/transport.ts';

/** The error codes of ACP, in addition to those of JSON-RPC. */
export const ACP_ERRORS = { parse: -32700, cancelled: -32800, authRequired: -32000, notFound: -32002 };

/** An error for the client, with facts that programs can read. */
export class AcpError extends RpcError {
  readonly data: JsonObject | undefined;

  constructor(code: number, message: string, data?: JsonObject) {
    super(code, message);
    this.data = data;
  }
}

/** The error that a client gets for something thrown here: `data.error_code` is the word that other hosts know. */
export function toAcpError(error: unknown): AcpError {
  if (error instanceof AcpError) return error;
  if (error instanceof RpcError) return new AcpError(error.code, error.message);
  if (!HeddleError.isInstance(error)) {
    return new AcpError(RPC_ERRORS.internal, error instanceof Error ? error.message : String(error));
  }
  const code = CODES[error.code] ?? RPC_ERRORS.internal;
  return new AcpError(code, error.message, { error_code: error.code, ...(error.facts && { facts: error.facts }) });
}

const CODES: Readonly<Record<string, number>> = {
  session_not_found: ACP_ERRORS.notFound,
  invalid_option: RPC_ERRORS.invalidParams,
  invalid_request: RPC_ERRORS.invalidParams,
};

/**
 * Sends an update of the session, or of the agent that a call runs. A promise, where the editor has to read first.
 */
export type Send = (update: JsonObject, agentOf?: string | null) => Promise<void> | undefined;

export interface RequestContext {
  /** Aborts when the client withdraws the request, or is gone. */
  signal: AbortSignal;
  /** Runs `effect` when the response is written, so that the client sees its lines later. */
  afterResponse(effect: () => void): void;
}

export interface RpcHandlers {
  request(method: string, params: JsonObject, context: RequestContext): Promise<JsonObject>;
  notified(method: string, params: JsonObject): void;
}

interface Call {
  resolve(result: JsonObject): void;
  reject(error: Error): void;
}

/**
 * One end of JSON-RPC over a transport of lines. Every request gets exactly one response; every call settles, at the
 * latest when the client is gone.
 */
export class RpcLink {
  readonly #transport: Transport;
  readonly #serving = new Map<RpcId, AbortController>();
  readonly #calls = new Map<RpcId, Call>();
  #lastId = 0;
  #isOver = false;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Reads until the client has closed its side; then everything that is open is given up. */
  async serve(handlers: RpcHandlers): Promise<void> {
    try {
      for await (const line of this.#transport.readMessages()) this.#take(line, handlers);
    } finally {
      this.#isOver = true;
      for (const serving of this.#serving.values()) serving.abort();
      for (const call of this.#calls.values()) call.reject(clientGone());
      this.#calls.clear();
    }
  }

  /** A promise, where the client has to read before more should be written. */
  notify(method: string, params: JsonObject): Promise<void> | undefined {
    return this.#write(rpcNotification(method, params));
  }

  /** Asks the client. Rejects with its error, when the client is gone, and with the reason of the signal. */
  async call(method: string, params: JsonObject, signal?: AbortSignal): Promise<JsonObject> {
    signal?.throwIfAborted();
    if (this.#isOver) throw clientGone();
    const id = ++this.#lastId;
    const answer = new Promise<JsonObject>((resolve, reject) => this.#calls.set(id, { resolve, reject }));
    const onAbort = () => {
      if (!this.#calls.has(id)) return;
      this.#calls.get(id)?.reject(signal?.reason);
      this.#calls.delete(id);
      void this.notify('$/cancel_request', { requestId: id });
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    void this.#write({ jsonrpc: '2.0', id, method, params });
    try {
      return await answer;
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
  }

  #take(line: JsonObject | Error, handlers: RpcHandlers): void {
    if (line instanceof Error) {
      void this.#fail(null, new AcpError(ACP_ERRORS.parse, `Not a line of JSON: ${line.message}`));
      return;
    }
    const { id, method, params = {} } = line;
    if (typeof method !== 'string') this.#settle(line);
    else if (!isObject(params)) {
      if (isRpcId(id)) void this.#fail(id, new AcpError(RPC_ERRORS.invalidParams, 'params must be an object'));
    } else if (method === '$/cancel_request') {
      if (isRpcId(params.requestId)) this.#serving.get(params.requestId)?.abort();
    } else if (isRpcId(id)) void this.#answer(id, method, params, handlers);
    else if (id === undefined) handlers.notified(method, params);
    else void this.#fail(null, new AcpError(RPC_ERRORS.invalidRequest, 'id must be a string or a number'));
  }

  #settle({ id, result, error }: JsonObject): void {
    if (!isRpcId(id)) {
      void this.#fail(null, new AcpError(RPC_ERRORS.invalidRequest, 'a message needs a method, or an id'));
      return;
    }
    const call = this.#calls.get(id);
    if (!call) return; // late, or nobody asked
    this.#calls.delete(id);
    if (isObject(error)) call.reject(new AcpError(Number(error.code), String(error.message)));
    else call.resolve(isObject(result) ? result : {});
  }

  async #answer(id: RpcId, method: string, params: JsonObject, handlers: RpcHandlers): Promise<void> {
    if (this.#serving.has(id)) {
      await this.#fail(id, new AcpError(RPC_ERRORS.invalidRequest, `The id ${id} is in use`));
      return;
    }
    const stop = new AbortController();
    this.#serving.set(id, stop);
    const effects: (() => void)[] = [];
    try {
      const context = { signal: stop.signal, afterResponse: (effect: () => void) => void effects.push(effect) };
      const result = await handlers.request(method, params, context);
      await this.#write(rpcResult(id, result));
      for (const effect of effects) effect();
    } catch (error) {
      const isWithdrawn = stop.signal.aborted && !this.#isOver;
      await this.#fail(id, isWithdrawn ? new AcpError(ACP_ERRORS.cancelled, 'cancelled') : toAcpError(error));
    } finally {
      this.#serving.delete(id);
    }
  }

  async #fail(id: RpcId | null, { code, message, data }: AcpError): Promise<void> {
    await this.#write({ jsonrpc: '2.0', id, error: { code, message, ...(data && { data }) } });
  }

  /** A client that is gone reads nothing: what it would have got is dropped. */
  #write(line: JsonObject): Promise<void> | undefined {
    if (this.#isOver) return undefined;
    return this.#transport.write(line)?.catch(() => {});
  }
}

function clientGone(): HeddleError {
  return new HeddleError('closed', 'The editor is gone');
}
