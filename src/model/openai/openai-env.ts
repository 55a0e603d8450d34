import { HeddleError } from '../../wire/errors.ts';
import { parseHeaderLines, sharedSettings } from '../http/endpoint-env.ts';
import type { Env } from '../resolve.ts';
import type { OpenAiOptions } from './openai.ts';

const DEFAULT_BASE_URL = 'https://api.openai.com/v1';

/**
 * Reads the settings for an OpenAI-compatible server from an environment. The caller decides which environments it
 * trusts for this.
 */
export function openAiSettings(env: Env): Omit<OpenAiOptions, 'runtime' | 'userAgent'> {
  return {
    baseUrl: env.OPENAI_BASE_URL?.trim() || DEFAULT_BASE_URL,
    ...(env.OPENAI_API_KEY && { apiKey: env.OPENAI_API_KEY }),
    ...(env.OPENAI_CUSTOM_HEADERS && { headers: parseHeaderLines(env.OPENAI_CUSTOM_HEADERS) }),
    ...sharedSettings(env),
  };
}

/**
 * The error to show when a request would go to OpenAI itself without a key, or undefined. Other servers may need no
 * key.
 */
export function missingOpenAiKey(env: Env): HeddleError | undefined {
  if (env.OPENAI_API_KEY?.trim() || !isOpenAi(openAiSettings(env).baseUrl)) return undefined;
  return new HeddleError(
    'no_credentials',
    'No key for the OpenAI API was found: set OPENAI_API_KEY, store one with heddle auth login --provider openai, ' +
      'or set OPENAI_BASE_URL for another OpenAI-compatible server, e.g. http://127.0.0.1:11434/v1.',
  );
}

function isOpenAi(baseUrl: string): boolean {
  return URL.canParse(baseUrl) && new URL(baseUrl).host === new URL(DEFAULT_BASE_URL).host;
}
