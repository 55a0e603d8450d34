import { isObject, type JsonObject, stringField } from '../util/json.ts';
import type { ServerConfig } from './server-config.ts';

/** What one scope's settings say about which servers there may be. */
export interface ServerRules {
  /** `allowedMcpServers`; absent: it has nothing against any. */
  allowed?: readonly unknown[] | undefined;
  /** `deniedMcpServers`. */
  denied?: readonly unknown[] | undefined;
  /** For messages. */
  where: string;
}

/**
 * Why there may be no such server; null when there may. Every scope that has a list of allowed servers must have this one
 * on it, and no scope may deny it: the lists of a project never open what those of an administrator close.
 */
export function serverRefusal(name: string, config: ServerConfig, rules: readonly ServerRules[]): string | null {
  // The host's own are the host: who runs it decides about them.
  if (config.type === 'sdk') return null;
  for (const { allowed, denied = [], where } of rules) {
    if (denied.some((entry) => fits(entry, name, config, fitsUrl))) return `deniedMcpServers of ${where} denies it`;
    if (allowed && !isAllowed(allowed, name, config)) return `allowedMcpServers of ${where} does not have it`;
  }
  return null;
}

/** A list with commands or addresses means that servers of that kind are known by them: a name can be anybody's. */
function isAllowed(allowed: readonly unknown[], name: string, config: ServerConfig): boolean {
  const key = config.type === 'stdio' ? 'serverCommand' : 'serverUrl';
  const exact = allowed.filter((entry) => isObject(entry) && entry[key] !== undefined);
  return (exact.length > 0 ? exact : allowed).some((entry) => fits(entry, name, config, fitsUrlByParts));
}

function fits(entry: unknown, name: string, config: ServerConfig, fitsAddress: typeof fitsUrl): boolean {
  if (!isObject(entry)) return false;
  const { serverCommand } = entry;
  if (config.type === 'stdio' && Array.isArray(serverCommand)) {
    return JSON.stringify(serverCommand) === JSON.stringify([config.command, ...config.args]);
  }
  const pattern = stringField(entry, 'serverUrl');
  if ((config.type === 'http' || config.type === 'sse') && pattern !== undefined)
    return fitsAddress(config.url, pattern);
  return stringField(entry, 'serverName') === name;
}

/** `*` stands for any number of characters. */
function fitsUrl(url: string, pattern: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  if (rest.length === 0) return url === first || url === `${first}/`;
  const last = rest.pop() ?? '';
  if (!url.startsWith(first)) return false;
  let from = first.length;
  for (const part of rest) {
    const at = url.indexOf(part, from);
    if (at < 0) return false;
    from = at + part.length;
  }
  return url.length - last.length >= from && url.endsWith(last);
}

/**
 * As above, but what stands for hosts never reaches into a path: `https://*.example.com/*` must not let in
 * `https://elsewhere/x.example.com/`. Only for what allows; what denies may well deny more.
 */
function fitsUrlByParts(url: string, pattern: string): boolean {
  const [, host, path = pattern.endsWith('*') ? '*' : '/'] = /^([^/]+:\/\/[^/]*)(\/.*)?$/s.exec(pattern) ?? [];
  if (host === undefined) return fitsUrl(url, pattern); // such as `*`
  const { origin } = new URL(url);
  return fitsUrl(origin, host) && fitsUrl(url.slice(origin.length), path);
}

/** What a scope's settings say, as far as it is about this. */
export function serverRules(values: JsonObject, where: string): ServerRules {
  const { allowedMcpServers: allowed, deniedMcpServers: denied } = values;
  return {
    allowed: Array.isArray(allowed) ? allowed : undefined,
    denied: Array.isArray(denied) ? denied : undefined,
    where,
  };
}
