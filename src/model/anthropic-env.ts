import type { AnthropicOptions } from './anthropic.ts';
import type { Env } from './resolve.ts';

/** What an environment says about reaching the Anthropic API. The caller decides whose environment may say so. */
export function anthropicSettings(env: Env): Omit<AnthropicOptions, 'runtime' | 'userAgent'> {
  const timeoutMs = Number(env.API_TIMEOUT_MS);
  return {
    baseUrl: env.ANTHROPIC_BASE_URL?.trim() || 'https://api.anthropic.com',
    ...(env.ANTHROPIC_API_KEY && { apiKey: env.ANTHROPIC_API_KEY }),
    ...(env.ANTHROPIC_AUTH_TOKEN && { authToken: env.ANTHROPIC_AUTH_TOKEN }),
    ...(env.ANTHROPIC_CUSTOM_HEADERS && { headers: parseHeaderLines(env.ANTHROPIC_CUSTOM_HEADERS) }),
    ...(timeoutMs > 0 && { timeoutMs }),
    proxy: env,
  };
}

/** `Name: value` lines; lines of another shape are passed over. */
function parseHeaderLines(text: string): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const line of text.split(/\r?\n/)) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).trim();
    if (colon > 0 && name !== '') headers[name] = line.slice(colon + 1).trim();
  }
  return headers;
}
