import * as z from 'zod/mini';
import type { ApiIteration, FallbackCredit } from './api-answer.ts';
import { AnyObject, open, word } from './schema.ts';

const count = z.number();

const extras = {
  server_tool_use: z.optional(
    z.nullable(open({ web_search_requests: z.optional(count), web_fetch_requests: z.optional(count) })),
  ),
  service_tier: z.optional(z.nullable(z.string())),
  cache_creation: z.optional(
    z.nullable(open({ ephemeral_1h_input_tokens: z.optional(count), ephemeral_5m_input_tokens: z.optional(count) })),
  ),
  /** What of the output was thinking. */
  output_tokens_details: z.optional(z.nullable(open({ thinking_tokens: z.optional(count) }))),
  inference_geo: z.optional(z.nullable(z.string())),
  iterations: z.optional(z.nullable(z.array(z.unknown()))),
  speed: z.optional(z.nullable(z.string())),
  fallback_credit: z.optional(z.nullable(z.unknown())),
};

/** Tokens of a turn, as results carry them: the four counters are always numbers [FLD-41]. */
export const Usage = open(() => ({
  /** Tokens that were sent and came from no cache. */
  input_tokens: count,
  /** Tokens that were sent and written to the provider's cache. */
  cache_creation_input_tokens: count,
  /** Tokens that the provider had in its cache. */
  cache_read_input_tokens: count,
  /** Tokens of the answers, thoughts included. */
  output_tokens: count,
  ...extras,
}));
export type Usage = z.infer<typeof Usage>;

/** The same as programs read it in results, in the form that today's hosts expect. */
export interface NonNullableUsage {
  /** Tokens that were sent and came from no cache. */
  input_tokens: number;
  /** Tokens that were sent and written to the provider's cache. */
  cache_creation_input_tokens: number;
  /** Tokens that the provider had in its cache. */
  cache_read_input_tokens: number;
  /** Tokens of the answers, thoughts included. */
  output_tokens: number;
  cache_creation: { ephemeral_1h_input_tokens: number; ephemeral_5m_input_tokens: number };
  server_tool_use: { web_search_requests: number; web_fetch_requests: number };
  /** What of the output was thinking. */
  output_tokens_details: { thinking_tokens: number };
  service_tier: 'standard' | 'priority' | 'batch';
  inference_geo: string;
  iterations: ApiIteration[];
  speed: 'standard' | 'fast';
  fallback_credit: FallbackCredit | null;
}

/** Tokens of one API answer, as the provider sent them: providers may leave the cache counters out or null. */
export const ApiUsage = open(() => ({
  input_tokens: count,
  cache_creation_input_tokens: z.optional(z.nullable(count)),
  cache_read_input_tokens: z.optional(z.nullable(count)),
  output_tokens: count,
  ...extras,
}));
export type ApiUsage = z.infer<typeof ApiUsage>;

/** Tokens and cost of one model, of the session with all its resumes. */
export const ModelUsage = open(() => ({
  inputTokens: count,
  outputTokens: count,
  cacheReadInputTokens: count,
  cacheCreationInputTokens: count,
  webSearchRequests: count,
  /** US dollars. 0 where no price is known: see `costBasis`. */
  costUSD: count,
  /** Tokens that a conversation with this model may have. */
  contextWindow: count,
  /** Tokens that one answer may have. */
  maxOutputTokens: count,
  thinkingTokens: z.optional(count),
  cacheCreationEphemeral5mInputTokens: z.optional(count),
  cacheCreationEphemeral1hInputTokens: z.optional(count),
  canonicalModel: z.optional(z.string()),
  /** Who has answered; `firstParty` is Anthropic's API. */
  provider: z.optional(z.string()),
  /** Where the price comes from: `list`, or `unknown`. */
  costBasis: z.optional(word(['list', 'managed', 'unknown'])),
}));
export type ModelUsage = z.infer<typeof ModelUsage>;

/** A tool call that was not allowed to run. */
export const PermissionDenial = open(() => ({
  /** The tool, under the name that rules have for it. */
  tool_name: z.string(),
  /** The `tool_use` block of the answer that made the call. */
  tool_use_id: z.string(),
  /** What it was called with. */
  tool_input: AnyObject,
}));
export type PermissionDenial = z.infer<typeof PermissionDenial>;
export type SDKPermissionDenial = PermissionDenial;
