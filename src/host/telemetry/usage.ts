import type { Attributes } from '@opentelemetry/api';

/** Tokens as the conventions count them: those from a cache are part of the input. */
export function usageAttributes(usage: CountedTokens): Attributes {
  const { input_tokens: fresh, output_tokens: output } = usage;
  const read = usage.cache_read_input_tokens ?? 0;
  const created = usage.cache_creation_input_tokens ?? 0;
  return {
    'gen_ai.usage.input_tokens': fresh + read + created,
    'gen_ai.usage.output_tokens': output,
    'gen_ai.usage.cache_read.input_tokens': read,
    'gen_ai.usage.cache_creation.input_tokens': created,
  };
}

interface CountedTokens {
  input_tokens: number;
  output_tokens: number;
  cache_read_input_tokens?: number | null | undefined;
  cache_creation_input_tokens?: number | null | undefined;
}
