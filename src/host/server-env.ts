import { positiveInteger } from '../util/setting-text.ts';
import type { Env } from './home.ts';

/** How long a server may take to connect, in milliseconds. */
export function serverStartupMs(env: Env): number {
  return positiveInteger(env.MCP_TIMEOUT) ?? 30_000;
}

/** What programs need to find their way: who the user is, where programs and temporary files are, which language. */
const BASE: readonly string[] = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'TERM', 'TMPDIR', 'TZ'],
  ...['LANG', 'LANGUAGE', 'LC_ALL', 'LC_CTYPE', 'LC_MESSAGES'],
];

/**
 * The environment of an MCP server: a base, and what its own configuration says. Nothing else that the runtime knows gets
 * there unless the configuration names it, `"KEY": "${KEY}"` (ruling G4).
 */
export function serverEnv(env: Env, own: Env): Record<string, string | undefined> {
  const base = BASE.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]));
  return { ...Object.fromEntries(base), ...own };
}
