import { Channel } from '../../util/channel.ts';
import { isObject, type JsonObject, stringField } from '../../util/json.ts';
import { messageOf } from '../../util/message-of.ts';
import { startTimer, within } from '../../util/timer.ts';
import { ControlError, ControlTimeoutError, HeddleError } from '../errors.ts';
import { exitError } from './exit-errors.ts';
import type { Transport } from './transport.ts';

/**
 * Handles one incoming control request and returns the response body, or undefined for none. A throw becomes an error
 * response.
 */
export type RequestHandler = (request: ControlBody, context: RequestContext) => Promise<unknown> | unknown;

export type ControlBody = JsonObject & { subtype: string };

export interface RequestContext {
  requestId: string;
  /** Aborts when the other side withdraws the request or the connection closes. The peer then sends no response. */
  signal: AbortSignal;
  /** Runs `effect` after the response is written, so that the other side sees its lines later. */
  afterResponse(effect: () => void): void;
  /** Adds fields to a successful response, next to its body. */
  beside(fields: JsonObject): void;
  /** The peer sends no response when the handler ends. Other code sends it later, under the same `requestId`. */
  leaveOpen(): void;
}

export interface PeerOptions {
  /** Makes a fresh request id for each call. */
  newId: () => string;
  onRequest: RequestHandler;
  /**
   * Receives every line that is not control, in order; the next line waits until the promise settles. Without it the
   * peer queues the lines in `messages`.
   */
  onMessage?: (message: JsonObject) => Promise<void> | undefined;
  /**
   * The end of the input does not close the connection: the peer still answers requests that it is serving. For agents,
   * whose hosts may close the input and continue to read.
   */
  answersAfterEnd?: boolean;
  /** Receives the error for a line that is neither control nor readable. Default: ignored. */
  onBadLine?: (error: Error) => void;
}

export interface CallOptions {
  signal?: AbortSignal;
  /** Without a time limit the call waits until the connection closes. */
  timeoutMs?: number;
  /** Receives the whole response, with the fields next to its body, before the call settles. */
  onResponse?: (response: JsonObject) => void;
}

/** What a handler sets about its response, in addition to the body. */
interface ResponseExtras {
  beside: JsonObject;
  isLeftOpen: boolean;
}

interface PendingCall {
  request: ControlBody;
  readonly onResponse: CallOptions['onResponse'];
  resolve(body: unknown): void;
  reject(error: Error): void;
  isCancelled?: boolean;
}

/**
 * One end of the protocol: pairs control requests with their responses over a transport and passes all other lines on.
 * Host and agent use the same class. Every incoming request gets exactly one response. Every call settles: with the
 * response, with a time-out, when withdrawn, or when the connection closes.
 *
 * @example
 * ```ts
 * import type { Transport } from 'heddle/wire';
 *
 * async function ask(transport: Transport): Promise<void> {
 *   let requests = 0;
 *   await transport.connect();
 *   const peer = new Peer(transport, { newId: () => `request-${++requests}`, onRequest: async () => ({}) });
 *   await peer.call({ subtype: 'initialize' }, { timeoutMs: 60_000 });
 *   for await (const message of peer.messages) console.log(message.type);
 * }
 * ```
 */
export class Peer {
  readonly #transport: Transport;
  readonly #options: PeerOptions;
  readonly #calls = new Map<string, PendingCall>();
  readonly #serving = new Map<string, AbortController>();
  readonly #answering = new Set<Promise<void>>();
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

  /** Resolves when every request that came so far has its answer. Never rejects. */
  async answered(): Promise<void> {
    await Promise.all(this.#answering);
  }

  async send(message: JsonObject): Promise<void> {
    await this.#transport.write(message);
  }

  /** Sends a control request and resolves with the body of its response. */
  async call(request: ControlBody, options: CallOptions = {}): Promise<unknown> {
    if (this.#closedBy) throw this.#closedBy;
    options.signal?.throwIfAborted();
    const id = this.#options.newId();
    const answer = new Promise<unknown>((resolve, reject) => {
      this.#calls.set(id, { request, resolve, reject, onResponse: options.onResponse });
    });
    const onTimeout = () => this.#withdraw(id, new ControlTimeoutError(request.subtype));
    const timer = options.timeoutMs === undefined ? undefined : startTimer(options.timeoutMs, onTimeout);
    const onAbort = () => this.#withdraw(id, options.signal?.reason);
    options.signal?.addEventListener('abort', onAbort, { once: true });
    // Not awaited, so that a call can be withdrawn while the reader has stalled.
    this.send({ type: 'control_request', request_id: id, request }).catch((error) => this.#onUnsent(id, error));
    try {
      return await answer;
    } finally {
      clearTimeout(timer);
      options.signal?.removeEventListener('abort', onAbort);
    }
  }

  #takeCall(id: string): PendingCall | undefined {
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    return call;
  }

  /** The requests of this kind that the other side has not answered yet, as they were sent. */
  unanswered(subtype: string): JsonObject[] {
    return [...this.#calls]
      .filter(([, { request }]) => request.subtype === subtype)
      .map(([request_id, { request }]) => ({ type: 'control_request', request_id, request }));
  }

  /** Serves the requests that the other side lists as unanswered, except those that are being served. */
  serveAgain(lines: readonly unknown[]): void {
    for (const line of lines) {
      if (isObject(line) && !this.#serving.has(stringField(line, 'request_id') ?? '')) this.#serve(line);
    }
  }

  /** Tells the other side not to answer the open requests of this kind. The local calls settle by their own signals. */
  cancel(subtype: string): void {
    for (const [id, call] of this.#calls) {
      if (call.request.subtype !== subtype || call.isCancelled) continue;
      call.isCancelled = true;
      this.send({ type: 'control_cancel_request', request_id: id }).catch(() => {});
    }
  }

  /** Forgets a call and withdraws it from the other side. A late response is ignored. */
  #withdraw(id: string, reason: Error): void {
    const call = this.#takeCall(id);
    if (!call) return;
    call.reject(reason);
    if (!call.isCancelled) this.send({ type: 'control_cancel_request', request_id: id }).catch(() => {});
  }

  /**
   * A failed write is often the first sign of a dead agent. The exit of the agent says more, and is known a moment
   * later.
   */
  async #onUnsent(id: string, error: Error): Promise<void> {
    if (HeddleError.isInstance(error) && error.code === 'closed') await within(EXIT_GRACE_MS, this.#done);
    this.#takeCall(id)?.reject(error);
  }

  async #pump(): Promise<void> {
    try {
      for await (const line of this.#transport.readMessages()) {
        if (line instanceof Error) {
          this.#options.onBadLine?.(line);
          continue;
        }
        const busy = this.#route(line);
        if (busy) await busy;
      }
      this.#close(await closeReason(this.#transport));
    } catch (error) {
      const reason = error instanceof Error ? error : new Error(String(error));
      this.#close(reason);
      this.#messages.fail(reason);
    }
    this.#messages.end();
  }

  #route(line: JsonObject): Promise<void> | undefined {
    switch (line.type) {
      case 'control_request':
        this.#serve(line);
        return undefined;
      case 'control_response':
        this.#settle(line.response);
        return undefined;
      case 'control_cancel_request':
        this.#serving.get(stringField(line, 'request_id') ?? '')?.abort(withdrawal(line));
        return undefined;
      case 'keep_alive':
        return undefined;
      default:
        if (this.#options.onMessage) return this.#options.onMessage(line);
        this.#messages.push(line);
        return undefined;
    }
  }

  #settle(response: unknown): void {
    const id = stringField(response, 'request_id') ?? '';
    if (this.#calls.get(id)?.isCancelled) return; // too late: the caller is about to get the error
    const call = this.#takeCall(id);
    if (!call || !isObject(response)) return; // unknown, late or duplicate: ignored
    call.onResponse?.(response);
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
    const extras: ResponseExtras = { beside: {}, isLeftOpen: false };
    const context: RequestContext = {
      requestId,
      signal: controller.signal,
      afterResponse: (effect) => effects.push(effect),
      beside: (fields) => Object.assign(extras.beside, fields),
      leaveOpen: () => {
        extras.isLeftOpen = true;
      },
    };
    const answering = this.#answer(request as ControlBody, context, extras).then(() => {
      this.#answering.delete(answering);
      if (this.#serving.get(requestId) === controller) this.#serving.delete(requestId);
      for (const effect of effects) effect();
    });
    this.#answering.add(answering);
  }

  /** Calls the handler before anything is awaited, so that requests take effect in the order of their lines. */
  async #answer(request: ControlBody, context: RequestContext, extras: ResponseExtras): Promise<void> {
    const { requestId, signal } = context;
    try {
      const body = await this.#options.onRequest(request, context);
      if (!signal.aborted && !extras.isLeftOpen) await this.#respond(requestId, body, extras.beside);
    } catch (error) {
      // Also when the body cannot be written as JSON: the request still gets its one response.
      if (!signal.aborted) await this.#respondError(requestId, error);
    }
  }

  #respond(requestId: string, body: unknown, beside: JsonObject): Promise<void> {
    const said = body === undefined ? {} : { response: body };
    const response = { subtype: 'success', request_id: requestId, ...said, ...beside };
    return this.send({ type: 'control_response', response });
  }

  #respondError(requestId: string, error: unknown): Promise<void> {
    const response = {
      subtype: 'error',
      request_id: requestId,
      error: messageOf(error),
      ...(error instanceof ControlError && error.errorCode ? { error_code: error.errorCode } : {}),
      ...(error instanceof ControlError ? error.beside : {}),
    };
    return this.send({ type: 'control_response', response }).catch(() => {});
  }

  #close(reason: Error): void {
    this.#closedBy = reason;
    for (const call of this.#calls.values()) call.reject(reason);
    this.#calls.clear();
    if (this.#options.answersAfterEnd) return;
    for (const controller of this.#serving.values()) controller.abort();
  }
}

/** How long the peer waits for the exit code after the stream ended, before it reports an end without one. */
const EXIT_GRACE_MS = 2000;

async function closeReason(transport: Transport): Promise<Error> {
  const exit = await within(EXIT_GRACE_MS, transport.exit);
  if (exit && exit.code !== 0) return exitError(exit);
  return new HeddleError('closed', 'The connection closed before a response was received');
}

/** Why a question needs no answer any more, where the line tells who has answered it. */
function withdrawal(line: JsonObject): Error | undefined {
  const by = stringField(line, 'answered_by');
  return by === undefined ? undefined : Object.assign(new Error(by), { name: 'AbortError', kind: 'superseded' });
}
