import { abortReason } from '../../util/abort.ts';
import { messageOf } from '../../util/message-of.ts';
import type { Runtime } from '../../util/runtime.ts';
import { HeddleError } from '../../wire/errors.ts';
import {
  failureOfAnswer,
  failureOfError,
  MAX_ERROR_BODY_BYTES,
  ModelFailure,
  presentable,
  requestIdOf,
} from '../failures.ts';
import { createHide, type Hide } from '../hide-secrets.ts';
import type { ModelYield } from '../model.ts';
import { type Credential, type CredentialSource, currentCredential, secretsOf } from './credential.ts';
import { createHttpClient, type HttpAnswer, type HttpClient } from './http.ts';
import { type ProxyEnv, proxyFor } from './proxy.ts';
import { limitSilence, type SilenceLimit } from './silence-limit.ts';
import type { StreamReader } from './stream-reader.ts';

/** How Heddle reaches a provider's HTTP endpoint; the same for every provider. */
export interface EndpointOptions extends CredentialSource {
  /** The address of the API, with or without a path and a trailing slash. */
  baseUrl: string;
  /** Added to every request, replacing Heddle's own headers of the same name. */
  headers?: Readonly<Record<string, string>>;
  /** How long the server may be silent; keep-alives do not count. Default 10 minutes. */
  timeoutMs?: number;
  userAgent: string;
  /** The environment with HTTP_PROXY, HTTPS_PROXY and NO_PROXY. Absent: no proxy. */
  proxy?: ProxyEnv;
  /** PEM certificates that are trusted in addition to the built-in ones. */
  ca?: string;
  /**
   * Values that no failure and no log may show, in addition to the credential: values of headers, passwords of proxies.
   */
  secrets?: readonly string[];
  runtime: Runtime;
}

/** One HTTP endpoint that answers requests with streams. Keeps connections alive. */
export interface Endpoint {
  /** Sends one request and yields its answer, as a Model streams it: failures are events, and nothing is thrown. */
  ask(call: Call, signal: AbortSignal): AsyncGenerator<ModelYield, void>;
  /** Closes idle connections; those in use close when their request ends. */
  close(): void;
}

/** The parts of a request that differ between providers. */
export interface Call {
  /** The address, where it depends on the request; it has the origin of the endpoint. */
  url?: URL;
  /** The provider's own headers. */
  headers(credential: Credential): Record<string, string>;
  body(): string;
  /** All headers of a request that is signed; nothing is added to them. Such a request follows no redirect. */
  sign?(request: UnsignedRequest, credential: Credential): Record<string, string>;
  /** Reads the answer to an accepted request. */
  read(requestId: string | null): StreamReader;
}

/** What a signature is made for. */
export interface UnsignedRequest {
  method: 'POST';
  url: URL;
  headers: Readonly<Record<string, string>>;
  body: Uint8Array;
}

const DEFAULT_TIMEOUT_MS = 600_000;

/** Throws `invalid_option` for a proxy address that is not a URL. */
export function createEndpoint(options: EndpointOptions, url: URL): Endpoint {
  const client = createHttpClient({
    origin: url,
    proxy: proxyFor(url, options.proxy ?? {}),
    ...(options.ca !== undefined && { ca: options.ca }),
  });
  return {
    ask: (call, signal) => ask({ options, url, client }, call, signal),
    close: () => client.close(),
  };
}

/**
 * The address of an API's method. Throws `invalid_option`, naming the variable, for a base that is not an http(s) URL.
 */
export function methodUrl(baseUrl: string, path: string, variable: string): URL {
  try {
    const url = new URL(baseUrl);
    if (!/^https?:$/.test(url.protocol)) throw new Error('not http');
    url.pathname = `${url.pathname.replace(/\/+$/, '')}${path}`;
    url.hash = '';
    return url;
  } catch (cause) {
    const shown = baseUrl.replace(/[^/]*@/, '***@'); // it may contain a password
    const problem = `The base URL of the model API (${variable}) is not an http(s) URL: ${shown}`;
    throw new HeddleError('invalid_option', `${problem}. Write it whole, such as https://api.example.com`, { cause });
  }
}

interface Connection {
  options: EndpointOptions;
  url: URL;
  client: HttpClient;
}

async function* ask(connection: Connection, call: Call, signal: AbortSignal): AsyncGenerator<ModelYield, void> {
  const { options, url } = connection;
  const silence = limitSilence(signal, options.timeoutMs ?? DEFAULT_TIMEOUT_MS);
  let hide = createHide(options.secrets ?? []);
  let answer: HttpAnswer | undefined;
  let reader: StreamReader | undefined;
  try {
    const credential = yield* obtain(options, silence, hide);
    hide = createHide([...(options.secrets ?? []), ...secretsOf(credential)]);
    answer = await silence.wait(post(connection, call, { credential, signal: silence.signal }));
    const givenId = requestIdOf(answer.headers);
    const requestId = givenId && hide(givenId);
    options.runtime.log('debug', `The model API answered with ${answer.status}`, { host: url.host, requestId });
    if (answer.status < 200 || answer.status > 299) {
      const body = hide(await silence.wait(readText(answer, MAX_ERROR_BODY_BYTES + LONGEST_SECRET_BYTES)));
      const { status, headers } = answer;
      throw new ModelFailure(failureOfAnswer({ status, headers, body }, options.runtime.clock.now()));
    }
    yield { type: 'response', requestId };

    reader = call.read(requestId);
    for (let progressed = true; !reader.done; progressed = reader.progressed) {
      const chunk = await silence.wait(answer.read(), { goesOn: !progressed });
      const events = chunk ? reader.push(chunk) : reader.end();
      const last = events.at(-1);
      const failed = last?.type === 'failure' ? last : null;
      if (failed) events.pop();
      if (events.length > 0) yield events;
      if (failed) yield { ...failed, failure: presentable(failed.failure, hide) };
    }
  } catch (error) {
    const cause = silence.signal.aborted ? abortReason(silence.signal) : error;
    yield { type: 'failure', failure: presentable(failureOfError(cause, url.host), hide) };
  } finally {
    silence.end();
    if (reader?.done) answer?.release();
    else answer?.destroy();
  }
}

/** Read from an error body beyond the part that is kept, so that a secret at the cut is still seen whole. */
const LONGEST_SECRET_BYTES = 16 * 1024;

/** A credential helper that is quicker than this is not reported. */
const QUICK_MS = 50;

/**
 * Obtains the credential for the request. A slow helper is reported with an `auth` event when it starts and when it
 * ends.
 */
async function* obtain(
  options: EndpointOptions,
  silence: SilenceLimit,
  hide: Hide,
): AsyncGenerator<ModelYield, Credential> {
  const pending = silence.wait(currentCredential(options, silence.signal));
  if (!options.credential) return await pending;
  const settled = pending.then(
    () => true,
    () => true,
  );
  const timer = new AbortController();
  const tooLate = options.runtime.clock.sleep(QUICK_MS, timer.signal).then(
    () => false,
    () => true,
  );
  const isQuick = await Promise.race([settled, tooLate]);
  timer.abort();
  if (isQuick) return await pending;
  yield { type: 'auth', isAuthenticating: true };
  try {
    const credential = await pending;
    yield { type: 'auth', isAuthenticating: false };
    return credential;
  } catch (error) {
    yield { type: 'auth', isAuthenticating: false, error: hide(messageOf(error)) };
    throw error;
  }
}

async function post(
  { options, url, client }: Connection,
  call: Call,
  { credential, signal }: { credential: Credential; signal: AbortSignal },
): Promise<HttpAnswer> {
  const headers: Record<string, string> = {
    accept: 'text/event-stream',
    'content-type': 'application/json',
    'user-agent': options.userAgent,
    ...call.headers(credential),
  };
  for (const [name, value] of Object.entries(options.headers ?? {})) headers[name.toLowerCase()] = value;
  const body = Buffer.from(call.body());
  const address = call.url ?? url;
  if (!call.sign) return client.post({ url: address, headers, body }, signal);
  const signed = call.sign({ method: 'POST', url: address, headers, body }, credential);
  return client.post({ url: address, headers: signed, body, isSigned: true }, signal);
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
