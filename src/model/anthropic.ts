import { Aborted, abortReason, raceAbort } from '../util/abort.ts';
import type { Runtime } from '../util/runtime.ts';
import { HeddleError } from '../wire/errors.ts';
import { createRequestEncoder } from './anthropic-request.ts';
import { createStreamReader, type StreamReader } from './anthropic-stream.ts';
import {
  failureOfAnswer,
  failureOfError,
  MAX_ERROR_BODY_BYTES,
  ModelFailure,
  requestIdOf,
  withoutSecrets,
} from './failures.ts';
import { createHttpClient, type HttpAnswer, type HttpClient } from './http.ts';
import type { Model, ModelRequest, ModelYield } from './model.ts';
import { type ProxyEnv, proxyFor } from './proxy.ts';

export interface AnthropicOptions {
  /** Where `/v1/messages` lives, with or without a path and a trailing slash. */
  baseUrl: string;
  /** Sent as `x-api-key`. */
  apiKey?: string;
  /** Sent as `authorization: Bearer`. */
  authToken?: string;
  /** Asked before every request, for credentials that change; wins over the fixed ones. */
  credential?: () => Promise<Credential>;
  /** Added to every request, replacing ours of the same name. */
  headers?: Readonly<Record<string, string>>;
  /** How long the far end may be silent, keep-alives not counted. Default 10 minutes. */
  timeoutMs?: number;
  userAgent: string;
  /** Where HTTP_PROXY, HTTPS_PROXY and NO_PROXY are looked up. Absent: no proxy. */
  proxy?: ProxyEnv;
  /** PEM certificates that are trusted besides the built-in ones. */
  ca?: string;
  runtime: Runtime;
}

export interface Credential {
  apiKey?: string;
  authToken?: string;
}

const DEFAULT_TIMEOUT_MS = 600_000;

/**
 * The Messages API over HTTP. Made once and shared by sessions: it keeps connections alive and remembers serialised
 * messages. Throws `invalid_option` for addresses that are no URLs; later trouble is told as events.
 */
export function createAnthropicModel(options: AnthropicOptions): Model {
  const url = messagesUrl(options.baseUrl);
  const encode = createRequestEncoder();
  const client = createHttpClient({
    origin: url,
    proxy: proxyFor(url, options.proxy ?? {}),
    ...(options.ca !== undefined && { ca: options.ca }),
  });
  return {
    provider: 'anthropic',
    stream: (request, signal) => streamAnswer({ options, url, encode, client }, request, signal),
    close: () => client.close(),
  };
}

interface Connection {
  options: AnthropicOptions;
  url: URL;
  encode: (request: ModelRequest) => string;
  client: HttpClient;
}

async function* streamAnswer(
  connection: Connection,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelYield, void> {
  const { options, url } = connection;
  const { clock, log } = options.runtime;
  const patience = startPatience(signal, options.timeoutMs ?? DEFAULT_TIMEOUT_MS);
  const secrets: string[] = [];
  let answer: HttpAnswer | undefined;
  let reader: StreamReader | undefined;
  try {
    answer = await patience.wait(post(connection, request, { secrets, signal: patience.signal }));
    const requestId = requestIdOf(answer.headers);
    log('debug', `The model API answered with ${answer.status}`, { host: url.host, model: request.model, requestId });
    if (answer.status < 200 || answer.status > 299) {
      const body = await patience.wait(readText(answer, MAX_ERROR_BODY_BYTES));
      throw new ModelFailure(failureOfAnswer({ status: answer.status, headers: answer.headers, body }, clock.now()));
    }
    yield { type: 'response', requestId };

    reader = createStreamReader({ requestId, log });
    for (let progressed = true; !reader.done; progressed = reader.progressed) {
      const chunk = await patience.wait(answer.read(), { goesOn: !progressed });
      const events = chunk ? reader.push(chunk) : reader.end();
      const last = events.at(-1);
      const failed = last?.type === 'failure' ? last : null;
      if (failed) events.pop();
      if (events.length > 0) yield events;
      if (failed) yield { ...failed, failure: withoutSecrets(failed.failure, secrets) };
    }
  } catch (error) {
    const cause = patience.signal.aborted ? abortReason(patience.signal) : error;
    yield { type: 'failure', failure: withoutSecrets(failureOfError(cause, url.host), secrets) };
  } finally {
    patience.end();
    if (reader?.done) answer?.release();
    else answer?.destroy();
  }
}

function messagesUrl(baseUrl: string): URL {
  try {
    const url = new URL(baseUrl);
    if (!/^https?:$/.test(url.protocol)) throw new Error('not http');
    url.pathname = `${url.pathname.replace(/\/+$/, '')}/v1/messages`;
    url.search = '?beta=true';
    url.hash = '';
    return url;
  } catch (cause) {
    throw new HeddleError('invalid_option', `The model API's base URL is not an http(s) URL: ${baseUrl}`, { cause });
  }
}

/** Puts the credentials it uses into `secrets`, so that no failure can show them. */
async function post(
  { options, url, encode, client }: Connection,
  request: ModelRequest,
  { secrets, signal }: { secrets: string[]; signal: AbortSignal },
): Promise<HttpAnswer> {
  const { apiKey, authToken } = await credentialOf(options, signal);
  secrets.push(...[apiKey, authToken].filter((secret) => secret !== undefined));
  const headers: Record<string, string> = {
    accept: 'text/event-stream',
    'content-type': 'application/json',
    'anthropic-version': '2023-06-01',
    'user-agent': options.userAgent,
    ...(apiKey && { 'x-api-key': apiKey }),
    ...(authToken && { authorization: `Bearer ${authToken}` }),
    ...(request.betas?.length && { 'anthropic-beta': request.betas.join(',') }),
  };
  for (const [name, value] of Object.entries(options.headers ?? {})) headers[name.toLowerCase()] = value;
  return client.post({ url, headers, body: Buffer.from(encode(request)) }, signal);
}

/** Keys often come out of files, with a line feed at their end. */
async function credentialOf(options: AnthropicOptions, signal: AbortSignal): Promise<Credential> {
  const given = options.credential ? await askFor(options.credential, signal) : options;
  const key = given.apiKey?.trim();
  const token = given.authToken?.trim();
  return { ...(key && { apiKey: key }), ...(token && { authToken: token }) };
}

async function askFor(credential: () => Promise<Credential>, signal: AbortSignal): Promise<Credential> {
  try {
    return await raceAbort(credential(), signal);
  } catch (error) {
    if (signal.aborted) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new ModelFailure({ class: 'authentication', message: `Could not get the API credential: ${reason}` });
  }
}

async function readText(answer: HttpAnswer, limit: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  while (size < limit) {
    const chunk = await answer.read();
    if (!chunk) break;
    chunks.push(chunk);
    size += chunk.length;
  }
  return Buffer.concat(chunks).subarray(0, limit).toString('utf8');
}

/** Bounds the silence of the far end, and passes the caller's abort on. */
interface Patience {
  /** Fires with the caller's reason, or with kind `timeout`. */
  signal: AbortSignal;
  /**
   * Waits. Only waiting counts as silence, not the time that a slow consumer takes. `goesOn`: the silence before this
   * wait was not broken (a keep-alive came), so its time still counts.
   */
  wait<T>(work: Promise<T>, options?: { goesOn: boolean }): Promise<T>;
  end(): void;
}

/** What setTimeout can hold. */
const MAX_TIMER_MS = 2 ** 31 - 1;

function startPatience(outer: AbortSignal, timeoutMs: number): Patience {
  const controller = new AbortController();
  let isWaiting = false;
  let silentSince = 0;
  let timer: NodeJS.Timeout;
  // Looked at only when it rings: setting a timer anew for each piece of a stream would cost more than reading it.
  const onTimer = () => {
    const left = isWaiting ? silentSince + timeoutMs - performance.now() : timeoutMs;
    if (left > 0) setTimer(left);
    else controller.abort(new Aborted('timeout', `The API sent nothing for ${timeoutMs / 1000} seconds.`));
  };
  const setTimer = (ms: number) => {
    timer = setTimeout(onTimer, Math.min(Math.ceil(ms), MAX_TIMER_MS));
  };
  setTimer(timeoutMs);
  const onAbort = () => controller.abort(abortReason(outer));
  outer.addEventListener('abort', onAbort, { once: true });
  if (outer.aborted) onAbort();
  return {
    signal: controller.signal,
    async wait(work, options) {
      if (!options?.goesOn) silentSince = performance.now();
      isWaiting = true;
      try {
        return await work;
      } finally {
        isWaiting = false;
      }
    },
    end() {
      clearTimeout(timer);
      outer.removeEventListener('abort', onAbort);
    },
  };
}
