import * as z from 'zod/mini';
import { AnyObject, open, word } from '../schema.ts';
import type { ApiIteration, FallbackCredit } from './api-answer.ts';

const count = z.number();

const extras = {
  server_tool_use: z.optional(
    z.nullable(open({ web_search_requests: z.optional(count), web_fetch_requests: z.optional(count) })),
  ),
  service_tier: z.optional(z.nullable(z.string())),
  cache_creation: z.optional(
    z.nullable(open({ ephemeral_1h_input_tokens: z.optional(count), ephemeral_5m_input_tokens: z.optional(count) })),
  ),
  /** The part of the output that was thinking. */
  output_tokens_details: z.optional(z.nullable(open({ thinking_tokens: z.optional(count) }))),
  inference_geo: z.optional(z.nullable(z.string())),
  iterations: z.optional(z.nullable(z.array(z.unknown()))),
  speed: z.optional(z.nullable(z.string())),
  fallback_credit: z.optional(z.nullable(z.unknown())),
};

/** Tokens of a turn, as results carry them. The four counters are always numbers. */
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

/** Tokens of a turn, as programs read them in results, in the form that hosts of the reference expect. */
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
  /** The part of the output that was thinking. */
  output_tokens_details: { thinking_tokens: number };
  service_tier: 'standard' | 'priority' | 'batch';
  inference_geo: string;
  iterations: ApiIteration[];
  speed: 'standard' | 'fast';
  fallback_credit: FallbackCredit | null;
}

/** Tokens of one API answer, as the provider sent them. A provider may leave out the cache counters or send null. */
export const ApiUsage = open(() => ({
  input_tokens: count,
  cache_creation_input_tokens: z.optional(z.nullable(count)),
  cache_read_input_tokens: z.optional(z.nullable(count)),
  output_tokens: count,
  ...extras,
}));
export type ApiUsage = z.infer<typeof ApiUsage>;

/** Tokens and cost of one model, counted over the session and all its resumes. */
export const ModelUsage = open(() => ({
  inputTokens: count,
  outputTokens: count,
  cacheReadInputTokens: count,
  cacheCreationInputTokens: count,
  webSearchRequests: count,
  /** US dollars. 0 where Heddle knows no price: see `costBasis`. */
  costUSD: count,
  /** The largest number of tokens in a conversation with this model. */
  contextWindow: count,
  /** The largest number of tokens in one answer. */
  maxOutputTokens: count,
  thinkingTokens: z.optional(count),
  cacheCreationEphemeral5mInputTokens: z.optional(count),
  cacheCreationEphemeral1hInputTokens: z.optional(count),
  canonicalModel: z.optional(z.string()),
  /** The provider that answered; `firstParty` is Anthropic's API. */
  provider: z.optional(z.string()),
  /** The source of the price: `list`, or `unknown`. */
  costBasis: z.optional(word(['list', 'managed', 'unknown'])),
}));
export type ModelUsage = z.infer<typeof ModelUsage>;

/** A tool call that was not allowed to run. */
export const PermissionDenial = open(() => ({
  /** The name of the tool, as permission rules spell it. */
  tool_name: z.string(),
  /** The `tool_use` block of the answer that made the call. */
  tool_use_id: z.string(),
  /** The input of the call. */
  tool_input: AnyObject,
}));
export type PermissionDenial = z.infer<typeof PermissionDenial>;
export type SDKPermissionDenial = PermissionDenial;
