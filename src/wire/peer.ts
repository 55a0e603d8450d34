import { Channel } from '../util/channel.ts';
import { isObject, type JsonObject, stringField } from '../util/json.ts';
import { ControlError, ControlTimeoutError, HeddleError, ProcessError } from './errors.ts';
import type { ExitInfo, Transport } from './transport.ts';

/** Answers one incoming control request: the response body, or undefined for none. A throw becomes an error response. */
export type RequestHandler = (request: ControlBody, context: RequestContext) => Promise<unknown> | unknown;

export type ControlBody = JsonObject & { subtype: string };

export interface RequestContext {
  requestId: string;
  /** Aborts when the other side withdraws the request or the connection closes; no answer is sent then. */
  signal: AbortSignal;
  /** Runs after the response has been written: for effects that must be seen after it. */
  afterResponse(effect: () => void): void;
}

export interface PeerOptions {
  /** A fresh request id per call. */
  newId: () => string;
  onRequest: RequestHandler;
  /** A line that is neither control nor readable. Default: ignored. */
  onBadLine?: (error: Error) => void;
}

export interface CallOptions {
  signal?: AbortSignal;
  /** Without one the call waits until the connection closes. */
  timeoutMs?: number;
}

interface PendingCall {
  subtype: string;
  resolve(body: unknown): void;
  reject(error: Error): void;
}

/**
 * One end of the protocol: pairs control requests with their responses over a transport and passes all other lines on.
 * The same class serves host and agent. Every incoming request gets exactly one response, every call settles: with the
 * answer, with a time-out, when withdrawn, or when the connection closes.
 */
export class Peer {
  readonly #transport: Transport;
  readonly #options: PeerOptions;
  readonly #calls = new Map<string, PendingCall>();
  readonly #serving = new Map<string, AbortController>();
  readonly #messages = new Channel<JsonObject>();
  readonly #done: Promise<void>;
  #closedBy: Error | null = null;

  constructor(transport: Transport, options: PeerOptions) {
    this.#transport = transport;
    this.#options = options;
    this.#done = this.#pump();
  }

  /** Every line that is not control, in order. One consumer. Ends when the other side closes; throws if it broke. */
  get messages(): AsyncIterable<JsonObject> {
    return this.#messages;
  }

  /** Resolves when the other side has closed its output and everything has been read. Never rejects. */
  get done(): Promise<void> {
    return this.#done;
  }

  send(message: JsonObject): Promise<void> {
    return this.#transport.write(message);
  }

  /** Sends a control request and resolves with the body of its response. */
  async call(request: ControlBody, options: CallOptions = {}): Promise<unknown> {
    if (this.#closedBy) throw this.#closedBy;
    options.signal?.throwIfAborted();
    const id = this.#options.newId();
    const answer = new Promise<unknown>((resolve, reject) => {
      this.#calls.set(id, { subtype: request.subtype, resolve, reject });
    });
    answer.catch(() => {}); // may reject before it is awaited below
    const timer =
      options.timeoutMs === undefined
        ? undefined
        : setTimeout(() => {
            this.#calls.get(id)?.reject(new ControlTimeoutError(request.subtype));
            this.#withdraw(id);
          }, options.timeoutMs);
    const onAbort = () => {
      this.#calls.get(id)?.reject(options.signal?.reason ?? new HeddleError('aborted', 'The request was withdrawn'));
      this.#withdraw(id);
    };
    options.signal?.addEventListener('abort', onAbort, { once: true });
    try {
      await this.#transport.write({ type: 'control_request', request_id: id, request });
      return await answer;
    } finally {
      clearTimeout(timer);
      options.signal?.removeEventListener('abort', onAbort);
      this.#calls.delete(id);
    }
  }

  /** Forgets a call and tells the other side; its late answer is ignored (ruling K11). */
  #withdraw(id: string): void {
    this.#calls.delete(id);
    this.#transport.write({ type: 'control_cancel_request', request_id: id }).catch(() => {});
  }

  async #pump(): Promise<void> {
    try {
      for await (const line of this.#transport.readMessages()) {
        if (line instanceof Error) this.#options.onBadLine?.(line);
        else this.#route(line);
      }
      this.#close(await closeReason(this.#transport));
    } catch (error) {
      const reason = error instanceof Error ? error : new Error(String(error));
      this.#close(reason);
      this.#messages.fail(reason);
    }
    this.#messages.end();
  }

  #route(line: JsonObject): void {
    switch (line.type) {
      case 'control_request':
        this.#serve(line);
        return;
      case 'control_response':
        this.#settle(line.response);
        return;
      case 'control_cancel_request':
        this.#serving.get(stringField(line, 'request_id') ?? '')?.abort();
        return;
      case 'keep_alive':
        return;
      default:
        this.#messages.push(line);
    }
  }

  #settle(response: unknown): void {
    const id = stringField(response, 'request_id');
    const call = id === undefined ? undefined : this.#calls.get(id);
    if (!id || !call || !isObject(response)) return; // unknown, late or duplicate: ignored (P-5, P-6)
    this.#calls.delete(id);
    if (response.subtype === 'success') call.resolve(response.response);
    else
      call.reject(
        new ControlError(stringField(response, 'error') ?? 'Unknown error', stringField(response, 'error_code')),
      );
  }

  #serve(line: JsonObject): void {
    const requestId = stringField(line, 'request_id');
    const request = line.request;
    if (requestId === undefined || !isObject(request) || typeof request.subtype !== 'string') {
      this.#respondError(
        requestId ?? '',
        new ControlError('Malformed control request: needs request_id and request.subtype'),
      );
      return;
    }
    const controller = new AbortController();
    this.#serving.set(requestId, controller);
    const effects: (() => void)[] = [];
    const context: RequestContext = {
      requestId,
      signal: controller.signal,
      afterResponse: (effect) => effects.push(effect),
    };
    // Started without awaiting anything before it, so that requests take effect in the order of their lines.
    const answer = invoke(this.#options.onRequest, request as ControlBody, context);
    answer
      .then(
        async (body) => {
          if (!controller.signal.aborted) await this.#respond(requestId, body);
        },
        async (error) => {
          if (!controller.signal.aborted) await this.#respondError(requestId, error);
        },
      )
      .catch(() => {}) // the other side is gone: nobody to answer
      .finally(() => {
        if (this.#serving.get(requestId) === controller) this.#serving.delete(requestId);
        for (const effect of effects) effect();
      });
  }

  #respond(requestId: string, body: unknown): Promise<void> {
    const response = { subtype: 'success', request_id: requestId, ...(body === undefined ? {} : { response: body }) };
    return this.#transport.write({ type: 'control_response', response });
  }

  #respondError(requestId: string, error: unknown): Promise<void> {
    const response = {
      subtype: 'error',
      request_id: requestId,
      error: error instanceof Error ? error.message : String(error),
      ...(error instanceof ControlError && error.errorCode ? { error_code: error.errorCode } : {}),
    };
    return this.#transport.write({ type: 'control_response', response }).catch(() => {});
  }

  #close(reason: Error): void {
    this.#closedBy = reason;
    for (const call of this.#calls.values()) call.reject(reason);
    this.#calls.clear();
    for (const controller of this.#serving.values()) controller.abort();
  }
}

async function invoke(handler: RequestHandler, request: ControlBody, context: RequestContext): Promise<unknown> {
  return handler(request, context);
}

/** How long an ended stream waits for the exit code behind it, before it reports without one. */
const EXIT_GRACE_MS = 2000;

async function closeReason(transport: Transport): Promise<Error> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const grace = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), EXIT_GRACE_MS);
    timer.unref?.();
  });
  const exit: ExitInfo | null = await Promise.race([transport.exit, grace]);
  clearTimeout(timer);
  if (exit && exit.code !== 0) return new ProcessError(exit);
  return new HeddleError('closed', 'The connection closed before a response was received');
}
