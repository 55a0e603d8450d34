import { HeddleError } from '../../wire/errors.ts';

/** The proxy variables of an environment, in upper or lower case. */
export type ProxyEnv = Readonly<Record<string, string | undefined>>;

/** The proxy that requests to `target` go through, or null. Lower-case names win, as they do in curl. */
export function proxyFor(target: URL, env: ProxyEnv): URL | null {
  if (LINK_LOCAL.test(target.hostname)) return null;
  const value = read(env, target.protocol === 'https:' ? 'https_proxy' : 'http_proxy');
  if (!value || isExempt(target, read(env, 'no_proxy') ?? '')) return null;
  const url = tryUrl(withScheme(value));
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new HeddleError(
      'invalid_option',
      'The proxy address is not an http(s) URL. Check HTTP_PROXY and HTTPS_PROXY.',
    );
  }
  return url;
}

/** Where a machine of a cloud asks for its own credentials: no other machine has the answer, or may see it. */
const LINK_LOCAL = /^(169\.254\.\d+\.\d+|\[fd00:ec2::[\da-f]+\]|metadata\.google\.internal)$/i;

/** The header that a proxy with a user name in its address expects. */
export function proxyAuthorization(proxy: URL): string | undefined {
  if (!proxy.username) return undefined;
  const pair = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}

function read(env: ProxyEnv, name: string): string | undefined {
  return env[name]?.trim() || env[name.toUpperCase()]?.trim() || undefined;
}

function withScheme(value: string): string {
  return value.includes('://') ? value : `http://${value}`;
}

function tryUrl(value: string): URL | null {
  try {
    return new URL(value);
  } catch {
    return null;
  }
}

/**
 * NO_PROXY: names separated by commas or spaces, each for the host and all hosts below it, with an optional port; `*`
 * is all.
 */
function isExempt(target: URL, noProxy: string): boolean {
  const host = target.hostname.toLowerCase();
  const port = target.port || (target.protocol === 'https:' ? '443' : '80');
  return noProxy
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean)
    .some((entry) => {
      if (entry === '*') return true;
      const [, name = '', entryPort] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? [];
      const bare = name.replace(/^\*?\./, '');
      return (entryPort === undefined || entryPort === port) && (host === bare || host.endsWith(`.${bare}`));
    });
}
