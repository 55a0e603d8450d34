import { isObject, type JsonObject } from '../../util/json.ts';
import type { ApiUsage } from '../../wire/api/usage.ts';

/**
 * The counts of a chunk or of a whole answer, or undefined when it has none. They are next to the choices, in the first
 * choice (Moonshot) or under `x_groq`. Tokens from the server's cache are counted separately, as in the Messages API.
 */
export function readUsage(chunk: JsonObject, choice: JsonObject | undefined): ApiUsage | undefined {
  const groq = isObject(chunk.x_groq) ? chunk.x_groq.usage : undefined;
  const reported = [chunk.usage, choice?.usage, groq].find(isObject);
  if (!reported) return undefined;
  const prompt = count(reported.prompt_tokens);
  const completion = count(reported.completion_tokens);
  // No prompt is empty: a server that writes zeros does not count.
  if (prompt + completion === 0) return undefined;
  const details = isObject(reported.prompt_tokens_details) ? reported.prompt_tokens_details : {};
  const hits = count(details.cached_tokens) || count(reported.cached_tokens) || count(reported.prompt_cache_hit_tokens);
  const cached = Math.min(hits, prompt);
  return usage({ input: prompt - cached, cached, output: completion });
}

/** An estimate for servers that count nothing. */
export function estimatedUsage(sent: { body: string }, received: { characters: number }): ApiUsage {
  return usage({ input: estimateInput(sent.body), cached: 0, output: tokens(received.characters) });
}

/** The usage before the answer has arrived. */
export function noUsage(): ApiUsage {
  return usage({ input: 0, cached: 0, output: 0 });
}

const CHARACTERS_PER_TOKEN = 4;
/** Images cost by their size in pixels, not by the length of their encoding. */
const TOKENS_PER_IMAGE = 1000;

function estimateInput(body: string): number {
  let images = 0;
  const text = body.replace(/"data:image\/[^"]*"/g, () => {
    images++;
    return '';
  });
  return tokens(text.length) + images * TOKENS_PER_IMAGE;
}

function tokens(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}

function usage({ input, cached, output }: { input: number; cached: number; output: number }): ApiUsage {
  return {
    input_tokens: input,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cached,
    output_tokens: output,
  };
}

function count(value: unknown): number {
  return typeof value === 'number' && value > 0 ? value : 0;
}
