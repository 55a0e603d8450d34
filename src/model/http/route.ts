import type { Agent, ClientRequest, RequestOptions } from 'node:http';
import { proxyAuthorization } from './proxy.ts';

export interface RouteOptions {
  /** Requests go to this origin only. */
  origin: URL;
  proxy: URL | null;
  /** PEM certificates that are trusted in addition to the built-in ones. */
  ca?: string;
}

/** How requests reach their origin. */
export interface Route {
  agent: Agent;
  open(url: URL, options: RequestOptions): ClientRequest;
}

/** Modules are loaded when a route needs them: TLS and proxies cost start-up time that plain runs should not pay. */
export async function openRoute({ origin, proxy, ca }: RouteOptions): Promise<Route> {
  const isPlain = origin.protocol === 'http:';
  if (isPlain && !proxy) return plainRoute();
  if (isPlain && proxy?.protocol === 'http:') return forwardRoute(proxy, {});
  const trust = await trustOptions(ca);
  if (isPlain && proxy) return forwardRoute(proxy, trust);
  const https = await import('node:https');
  const agent = proxy ? await tunnelAgent(proxy) : new https.Agent({ keepAlive: true });
  return { agent, open: (url, options) => https.request(url, { ...options, ...trust, agent }) };
}

async function plainRoute(): Promise<Route> {
  const http = await import('node:http');
  const agent = new http.Agent({ keepAlive: true });
  return { agent, open: (url, options) => http.request(url, { ...options, agent }) };
}

async function tunnelAgent(proxy: URL): Promise<Agent> {
  const { HttpsProxyAgent } = await import('https-proxy-agent');
  return new HttpsProxyAgent(proxy, { keepAlive: true });
}

async function trustOptions(ca: string | undefined): Promise<{ ca?: string[] }> {
  if (ca === undefined) return {};
  const { rootCertificates } = await import('node:tls');
  return { ca: [...rootCertificates, ca] };
}

/**
 * The route to a plain-http target through a proxy: the proxy gets the whole address as the request's path. `trust`
 * holds the certificates for a proxy that is reached by TLS.
 */
async function forwardRoute(proxy: URL, trust: { ca?: string[] }): Promise<Route> {
  const secure = proxy.protocol === 'https:';
  const client = secure ? await import('node:https') : await import('node:http');
  const agent = new client.Agent({ keepAlive: true });
  const authorization = proxyAuthorization(proxy);
  return {
    agent,
    open: (url, options) =>
      client.request({
        ...options,
        ...trust,
        agent,
        host: proxy.hostname.replace(/^\[|\]$/g, ''),
        port: proxy.port || (secure ? 443 : 80),
        path: url.href,
        headers: {
          ...(options.headers as Record<string, string>),
          host: url.host,
          ...(authorization && { 'proxy-authorization': authorization }),
        },
      }),
  };
}
