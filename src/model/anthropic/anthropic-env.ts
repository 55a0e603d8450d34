import type { AnthropicOptions } from './anthropic.ts';
import { parseHeaderLines, sharedSettings } from './endpoint-env.ts';
import type { Env } from './resolve.ts';

/** What an environment says about reaching the Anthropic API. The caller decides whose environment may say so. */
export function anthropicSettings(env: Env): Omit<AnthropicOptions, 'runtime' | 'userAgent'> {
  return {
    baseUrl: env.ANTHROPIC_BASE_URL?.trim() || 'https://api.anthropic.com',
    ...(env.ANTHROPIC_API_KEY && { apiKey: env.ANTHROPIC_API_KEY }),
    ...(env.ANTHROPIC_AUTH_TOKEN && { authToken: env.ANTHROPIC_AUTH_TOKEN }),
    ...(env.ANTHROPIC_CUSTOM_HEADERS && { headers: parseHeaderLines(env.ANTHROPIC_CUSTOM_HEADERS) }),
    ...sharedSettings(env),
  };
}
