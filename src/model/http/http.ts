import type { Agent, IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { abortReason } from '../../util/abort.ts';
import { stringField } from '../../util/json.ts';
import { madeOnce } from '../../util/made-once.ts';
import { ModelFailure } from '../failures.ts';
import { openRoute, type Route, type RouteOptions } from './route.ts';

/** POST over keep-alive connections. `node:http(s)` instead of `fetch`, which costs four times the CPU. */
export interface HttpClient {
  /**
   * Resolves with the answer's head. Rejects with the abort reason, a connection error, or a ModelFailure for a
   * redirect to another origin: the request carries a key, which must not go to another server.
   */
  post(request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer>;
  /** Closes idle connections now, and those in use when their request ends. */
  close(): void;
}

export interface HttpRequest {
  url: URL;
  /** Default: POST. */
  method?: 'GET' | 'PUT' | 'POST';
  /** A signature holds for one address: redirects are not followed, not even within the origin. */
  isSigned?: boolean;
  headers: Readonly<Record<string, string>>;
  body: Buffer;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The next piece of the body, or null after the last. Rejects when the connection is cut or the signal fires. */
  read(): Promise<Buffer | null>;
  /** Ends reading. A body that is about to end returns its connection to the pool; any other is cut off. */
  release(): void;
  /** Cuts the answer off. */
  destroy(): void;
}

export function createHttpClient(options: RouteOptions): HttpClient {
  const route = madeOnce(() => openRoute(options));
  let isClosed = false;
  return {
    async post(request, signal) {
      const opened = await route();
      if (isClosed) keepNone(opened.agent);
      return followRedirects(opened, request, signal);
    },
    close() {
      isClosed = true;
      route
        .begun()
        ?.then(({ agent }) => keepNone(agent))
        .catch(() => {});
    },
  };
}

/** `agent.destroy()` would also close the connections in use. */
function keepNone(agent: Agent): void {
  agent.maxFreeSockets = 0;
  for (const sockets of Object.values(agent.freeSockets)) {
    for (const socket of sockets ?? []) socket.destroy();
  }
}

const MAX_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 307, 308]);

async function followRedirects(route: Route, request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer> {
  let { url } = request;
  for (let hops = 0; ; hops++) {
    const answer = await exchange(route, { ...request, url }, signal);
    const { location } = answer.headers;
    if (!REDIRECTS.has(answer.status) || !location) return answer;
    answer.release();
    const next = new URL(location, url);
    if (request.isSigned || next.origin !== url.origin || hops === MAX_REDIRECTS) {
      throw redirectFailure(answer.status, { from: url, to: next, isSigned: request.isSigned === true });
    }
    url = next;
  }
}

function redirectFailure(
  status: number,
  { from, to, isSigned }: { from: URL; to: URL; isSigned: boolean },
): ModelFailure {
  const message =
    from.origin === to.origin && !isSigned
      ? `${from.origin} redirects without end.`
      : `${from.origin} redirects to ${to.origin}. This was not followed, because the request carries a credential. ` +
        'If that address is right, set it as the base URL.';
  return new ModelFailure({ class: 'invalid_request', message, status });
}

/**
 * The server may just have closed a kept-alive connection; that says nothing about a fresh one, so the request is sent
 * again.
 */
async function exchange(route: Route, request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer> {
  for (let attempt = 1; ; attempt++) {
    const opened = send(route, request, signal);
    try {
      return answerOf(await opened.response, signal);
    } catch (error) {
      const wasClosed = ['ECONNRESET', 'EPIPE'].includes(stringField(error, 'code') ?? '');
      if (attempt > 2 || !wasClosed || !opened.request.reusedSocket || signal.aborted) throw error;
    }
  }
}

function send(route: Route, { url, method = 'POST', headers, body }: HttpRequest, signal: AbortSignal) {
  if (signal.aborted) throw abortReason(signal);
  const request = route.open(url, { method, headers: { ...headers, 'content-length': String(body.length) } });
  const onAbort = () => request.destroy(abortReason(signal));
  signal.addEventListener('abort', onAbort, { once: true });
  request.once('close', () => signal.removeEventListener('abort', onAbort));
  const response = new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve);
    // Errors after the head reach the reader of the body; this handler only keeps them from being unhandled.
    request.on('error', reject);
  });
  request.end(body);
  return { request, response };
}

/** How many bytes wait for a slow consumer before Heddle stops reading from the server. */
const HIGH_WATER_BYTES = 256 * 1024;
/** How long a body may take to end after its last meaningful byte. */
const DRAIN_MS = 1000;

function answerOf(response: IncomingMessage, signal: AbortSignal): HttpAnswer {
  // One read of the socket may hold hundreds of small HTTP chunks: they are collected and passed on together.
  let chunks: Buffer[] = [];
  let size = 0;
  let ended = false;
  let wanted = true;
  let error: unknown;
  let wake: () => void = () => {};

  const onAbort = () => fail(abortReason(signal));
  const fail = (cause: unknown) => {
    error ??= cause;
    wake();
  };
  signal.addEventListener('abort', onAbort, { once: true });
  response.on('data', (chunk: Buffer) => {
    if (!wanted) return;
    chunks.push(chunk);
    size += chunk.length;
    if (size >= HIGH_WATER_BYTES) response.pause();
    wake();
  });
  response.once('end', () => {
    ended = true;
    wake();
  });
  response.on('error', fail);
  response.once('close', () => {
    signal.removeEventListener('abort', onAbort);
    if (!ended) fail(cutConnection());
  });

  function take(): Buffer {
    const all = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, size);
    chunks = [];
    size = 0;
    if (response.isPaused()) response.resume();
    return all;
  }

  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    async read() {
      for (;;) {
        if (size > 0) return take();
        if (error !== undefined) throw error;
        if (ended) return null;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    release() {
      wanted = false;
      chunks = [];
      size = 0;
      if (ended || response.destroyed) return;
      const timer = setTimeout(() => response.destroy(), DRAIN_MS);
      response.once('close', () => clearTimeout(timer));
      timer.unref();
      response.socket.unref();
      response.resume();
    },
    destroy: () => response.destroy(),
  };
}

function cutConnection(): Error {
  return Object.assign(new Error('The connection was closed before the answer was complete.'), { code: 'ECONNRESET' });
}
