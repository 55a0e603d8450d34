import { lookup as systemLookup } from 'node:dns';
import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import { Aborted, abortReason } from '../../util/abort.ts';
import { hostNameOf } from '../../util/host-name.ts';
import { stringField } from '../../util/json.ts';
import { messageOf } from '../../util/message-of.ts';
import { startTimer } from '../../util/timer.ts';
import { HEDDLE_VERSION } from '../../wire/version.ts';
import { ToolError } from '../tool.ts';
import { isPrivateAddress, isPrivateHost } from './web-address.ts';
import { decodeBody, readBody } from './web-body.ts';
import type { Proxies } from './web-fetch.ts';
import { parseWebUrl } from './web-url.ts';

export interface WebRequestOptions extends Proxies {
  env: Readonly<Record<string, string | undefined>>;
  /** True when a host outside the public internet may be contacted all the same. */
  mayReachPrivate: (host: string) => boolean;
  /** Resolves names; default: as the system does. */
  lookup?: typeof systemLookup;
  /** For all redirects together. Default 30 s. */
  timeoutMs?: number;
}

export type Fetched = Page | Elsewhere;

export interface Page {
  kind: 'page';
  status: number;
  statusText: string;
  contentType: string;
  body: Buffer;
}

/** A redirect that was not followed, because it leads to another host, which needs a permission of its own. */
export interface Elsewhere {
  kind: 'elsewhere';
  status: number;
  statusText: string;
  target: URL;
}

const TIMEOUT_MS = 30_000;
const MAX_REDIRECTS = 10;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** Fetches what is at an http(s) address. Rejects with a ToolError that says why not, or with the abort reason. */
export async function fetchPage(url: URL, options: WebRequestOptions, signal: AbortSignal): Promise<Fetched> {
  const { timeoutMs = TIMEOUT_MS } = options;
  const timeout = new AbortController();
  const timer = startTimer(timeoutMs, () => timeout.abort(new Aborted('timeout')));
  try {
    return await followRedirects(url, options, AbortSignal.any([signal, timeout.signal]));
  } catch (error) {
    if (signal.aborted) throw abortReason(signal);
    if (timeout.signal.aborted) throw new ToolError(`${url.host} did not answer within ${timeoutMs / 1000} s.`);
    throw error instanceof ToolError ? error : new ToolError(problemOf(error, url), { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

async function followRedirects(start: URL, options: WebRequestOptions, signal: AbortSignal): Promise<Fetched> {
  let url = start;
  for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
    const response = await get(url, options, signal);
    const { statusCode: status = 0, statusMessage: statusText = '', headers } = response;
    if (!REDIRECTS.has(status) || headers.location === undefined) {
      const body = await decodeBody(await readBody(response), headers['content-encoding']);
      return { kind: 'page', status, statusText, contentType: headers['content-type'] ?? '', body };
    }
    response.destroy();
    const target = parseWebUrl(headers.location, url);
    if (!isSameAddress(url, target)) return { kind: 'elsewhere', status, statusText, target };
    url = target;
  }
  throw new ToolError(`${start.host} redirects more than ${MAX_REDIRECTS} times.`);
}

/** The same server, or its secure side; never from the secure side back. */
function isSameAddress(from: URL, to: URL): boolean {
  if (hostNameOf(from) !== hostNameOf(to)) return false;
  const isUpgrade = from.protocol === 'http:' && to.protocol === 'https:' && from.port === '' && to.port === '';
  return isUpgrade || (from.protocol === to.protocol && from.port === to.port);
}

async function get(url: URL, options: WebRequestOptions, signal: AbortSignal): Promise<IncomingMessage> {
  const host = hostNameOf(url);
  const isTrusted = options.mayReachPrivate(host);
  if (!isTrusted && isPrivateHost(host)) throw notPublic(host);
  const { lookup = systemLookup } = options;
  const request = await open(url, options, isTrusted ? lookup : publicOnly(lookup));
  if (signal.aborted) request.destroy(abortReason(signal));
  const onAbort = () => request.destroy(abortReason(signal));
  signal.addEventListener('abort', onAbort, { once: true });
  request.once('close', () => signal.removeEventListener('abort', onAbort));
  return new Promise((resolve, reject) => {
    request.once('response', resolve);
    // Errors after the head reach the reader of the body; here they only must not go unhandled.
    request.on('error', reject);
    request.end();
  });
}

const HEADERS = {
  'user-agent': `heddle/${HEDDLE_VERSION}`,
  accept: 'text/markdown, text/html;q=0.9, text/plain;q=0.9, */*;q=0.5',
  'accept-encoding': 'gzip, deflate, br',
};

/** With a proxy it is the proxy that resolves names, so the check at connect time cannot be made. */
async function open(url: URL, options: WebRequestOptions, lookup: LookupFunction): Promise<ClientRequest> {
  const proxy = options.proxyFor(url, options.env);
  const client = url.protocol === 'https:' ? https : http;
  if (!proxy) return client.request(url, { headers: HEADERS, agent: false, lookup });
  if (client === https) {
    const { HttpsProxyAgent } = await import('https-proxy-agent');
    return https.request(url, { headers: HEADERS, agent: new HttpsProxyAgent(proxy) });
  }
  const authorization = options.proxyAuthorization(proxy);
  return (proxy.protocol === 'https:' ? https : http).request({
    agent: false,
    host: proxy.hostname.replace(/^\[|\]$/g, ''),
    port: proxy.port || (proxy.protocol === 'https:' ? 443 : 80),
    path: url.href,
    headers: { ...HEADERS, host: url.host, ...(authorization && { 'proxy-authorization': authorization }) },
  });
}

/** Checked when the connection is made, so that a name that is public now and private a moment later is refused. */
function publicOnly(lookup: typeof systemLookup): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, options, (error, address, family) => {
      const addresses = typeof address === 'string' ? [address] : (address ?? []).map((each) => each.address);
      if (!error && addresses.some(isPrivateAddress)) callback(notPublic(hostname), '');
      else callback(error, address, family);
    });
  };
}

function notPublic(host: string): ToolError {
  return new ToolError(
    `${host} is not on the public internet, so it is not fetched. The user can allow it with the environment variable ` +
      'HEDDLE_WEBFETCH_ALLOW_PRIVATE=1 or, where the address itself is private, with an allow rule such as ' +
      `WebFetch(domain:${host}).`,
  );
}

const PROBLEMS: Record<string, string> = {
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'its name could not be looked up',
  ECONNREFUSED: 'it refused the connection',
  ECONNRESET: 'it broke the connection off',
};

function problemOf(error: unknown, url: URL): string {
  return `${url.host} could not be fetched from: ${PROBLEMS[stringField(error, 'code') ?? ''] ?? messageOf(error)}.`;
}
