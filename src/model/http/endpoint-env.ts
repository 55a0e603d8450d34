import type { Env } from '../resolve.ts';
import type { EndpointOptions } from './endpoint.ts';

/** Reads the settings that are common to all providers from an environment. */
export function sharedSettings(env: Env): Pick<EndpointOptions, 'timeoutMs' | 'proxy'> {
  const timeoutMs = Number(env.API_TIMEOUT_MS);
  return { ...(timeoutMs > 0 && { timeoutMs }), proxy: env };
}

/** `Name: value` lines; lines of another shape are skipped. */
export function parseHeaderLines(text: string): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const line of text.split(/\r?\n/)) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).trim();
    if (colon > 0 && name !== '') headers[name] = line.slice(colon + 1).trim();
  }
  return headers;
}
