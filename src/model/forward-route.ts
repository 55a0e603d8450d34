import type { Route } from './http.ts';
import { proxyAuthorization } from './proxy.ts';

/**
 * A plain-http target behind a proxy: the proxy gets the whole address as the request's path. `trust`: what its own
 * certificate is checked against, where it is reached by TLS.
 */
export async function forwardRoute(proxy: URL, trust: { ca?: string[] }): Promise<Route> {
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
