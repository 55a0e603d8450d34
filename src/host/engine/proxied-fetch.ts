import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { Readable } from 'node:stream';
import type { FetchLike } from '../../mcp/remote/fetch-like.ts';
import { proxyAuthorization, proxyFor } from '../../model/http/proxy.ts';
import { abortReason } from '../../util/abort.ts';
import type { Env } from './environment.ts';

/** Status codes of responses that have no body. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * A `fetch` that uses the proxy which the environment names for an address, and connects directly without one: Node's
 * own `fetch` ignores proxies. Through a proxy it follows no redirects; the caller does.
 */
export function proxiedFetch(env: Env, direct: FetchLike = fetch): FetchLike {
  return async (address, init = {}) => {
    const url = new URL(address);
    const proxy = proxyFor(url, env);
    return proxy ? asResponse(await exchange(url, init, proxy)) : direct(address, init);
  };
}

async function exchange(url: URL, init: RequestInit, proxy: URL): Promise<IncomingMessage> {
  const { signal } = init;
  // `Request` knows which header belongs to which kind of body.
  const request = new Request(url, { method: init.method ?? 'GET', body: init.body ?? null, ...withHeaders(init) });
  const body = Buffer.from(await request.arrayBuffer());
  const sent = await open(url, { method: request.method, headers: Object.fromEntries(request.headers) }, proxy);
  const onAbort = () => sent.destroy(signal ? abortReason(signal) : undefined);
  if (signal?.aborted) onAbort();
  signal?.addEventListener('abort', onAbort, { once: true });
  sent.once('close', () => signal?.removeEventListener('abort', onAbort));
  return new Promise((resolve, reject) => {
    sent.once('response', resolve);
    // The reader of the body gets errors that come after the head. This listener keeps them from being unhandled.
    sent.on('error', reject);
    sent.end(body);
  });
}

function withHeaders({ headers }: RequestInit): Pick<RequestInit, 'headers'> {
  return headers === undefined ? {} : { headers };
}

interface Head {
  method: string;
  headers: Record<string, string>;
}

/** Tunnels https. For http, the proxy gets the whole address, and its own credentials in addition to the request's. */
async function open(url: URL, { method, headers }: Head, proxy: URL): Promise<ClientRequest> {
  if (url.protocol === 'https:') {
    const { HttpsProxyAgent } = await import('https-proxy-agent');
    return https.request(url, { method, headers, agent: new HttpsProxyAgent(proxy) });
  }
  const isSecure = proxy.protocol === 'https:';
  const authorization = proxyAuthorization(proxy);
  return (isSecure ? https : http).request({
    method,
    agent: false,
    host: proxy.hostname.replace(/^\[|\]$/g, ''),
    port: proxy.port || (isSecure ? 443 : 80),
    path: url.href,
    headers: { ...headers, host: url.host, ...(authorization && { 'proxy-authorization': authorization }) },
  });
}

function asResponse(message: IncomingMessage): Response {
  const { statusCode: status = 0, statusMessage: statusText = '' } = message;
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(message.headersDistinct)) {
    for (const value of values) headers.append(name, value);
  }
  if (!BODILESS.has(status)) return new Response(bodyOf(message), { status, statusText, headers });
  message.resume();
  return new Response(null, { status, statusText, headers });
}

function bodyOf(message: IncomingMessage): ReadableStream<Uint8Array> {
  return Readable.toWeb(message) as ReadableStream<Uint8Array>;
}
