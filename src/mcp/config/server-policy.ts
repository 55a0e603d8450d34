import { isObject, type JsonObject, stringField } from '../../util/json.ts';
import type { ServerConfig } from './server-config.ts';

/** The rules of one settings scope about which servers are allowed. */
export interface ServerRules {
  /** `allowedMcpServers`; absent: the scope allows every server. */
  allowed?: readonly unknown[] | undefined;
  /** `deniedMcpServers`. */
  denied?: readonly unknown[] | undefined;
  /** For messages. */
  where: string;
}

/**
 * Why a server is refused; null when it is allowed. Every scope that has a list of allowed servers must list it, and no
 * scope may deny it: the lists of a project never open what those of an administrator close.
 */
export function serverRefusal(name: string, config: ServerConfig, rules: readonly ServerRules[]): string | null {
  // Servers inside the host belong to the host, whose operator decides about them.
  if (config.type === 'sdk') return null;
  for (const { allowed, denied = [], where } of rules) {
    if (denied.some((entry) => fits(entry, name, config, fitsUrl))) return `deniedMcpServers of ${where} denies it`;
    if (allowed && !isAllowed(allowed, name, config)) return `allowedMcpServers of ${where} does not have it`;
  }
  return null;
}

/** A list with commands or addresses identifies servers of that kind by them: any server can take any name. */
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
 * Like `fitsUrl`, but a wildcard in the host never reaches into a path: `https://*.example.com/*` must not allow
 * `https://elsewhere/x.example.com/`. Only for allow lists; a deny list may match more.
 */
function fitsUrlByParts(url: string, pattern: string): boolean {
  const [, host, path = pattern.endsWith('*') ? '*' : '/'] = /^([^/]+:\/\/[^/]*)(\/.*)?$/s.exec(pattern) ?? [];
  if (host === undefined) return fitsUrl(url, pattern); // such as `*`
  const { origin } = new URL(url);
  return fitsUrl(origin, host) && fitsUrl(url.slice(origin.length), path);
}

/** Reads the rules about servers from a scope's settings. */
export function serverRules(values: JsonObject, where: string): ServerRules {
  const { allowedMcpServers: allowed, deniedMcpServers: denied } = values;
  return {
    allowed: Array.isArray(allowed) ? allowed : undefined,
    denied: Array.isArray(denied) ? denied : undefined,
    where,
  };
}
