import { parseHeaderLines, sharedSettings } from '../http/endpoint-env.ts';
import type { Env } from '../resolve.ts';
import type { AnthropicOptions } from './anthropic.ts';

/**
 * Reads the settings for the Anthropic API from an environment. The caller decides which environments it trusts for
 * this.
 */
export function anthropicSettings(env: Env): Omit<AnthropicOptions, 'runtime' | 'userAgent'> {
  return {
    baseUrl: env.ANTHROPIC_BASE_URL?.trim() || 'https://api.anthropic.com',
    ...(env.ANTHROPIC_API_KEY && { apiKey: env.ANTHROPIC_API_KEY }),
    ...(env.ANTHROPIC_AUTH_TOKEN && { authToken: env.ANTHROPIC_AUTH_TOKEN }),
    ...(env.ANTHROPIC_CUSTOM_HEADERS && { headers: parseHeaderLines(env.ANTHROPIC_CUSTOM_HEADERS) }),
    ...sharedSettings(env),
  };
}
