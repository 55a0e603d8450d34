import type { JsonObject } from '../util/json.ts';
import type { ContentBlock } from '../wire/api/content.ts';
import type { ProviderMetadata } from '../wire/provider-metadata.ts';
import type { ThinkingDisplay } from '../wire/thinking-display.ts';

/** A message as the model API takes it. Immutable once built: clients cache its serialised form by identity. */
export interface ApiMessage {
  readonly role: 'user' | 'assistant';
  readonly content: readonly ContentBlock[];
  /** The model that wrote an answer. Not sent; thoughts are sent back only to the model that signed them. */
  readonly model?: string;
  /** What the provider of an answer added to it. Adapters send back what is theirs, and nothing else. */
  readonly providerMetadata?: ProviderMetadata;
}

export interface ApiTool {
  readonly name: string;
  readonly description: string;
  readonly input_schema: JsonObject;
}

export type Thinking =
  | { type: 'enabled'; budget_tokens: number; display?: ThinkingDisplay }
  | { type: 'adaptive'; display?: ThinkingDisplay }
  | { type: 'disabled' };

export interface ModelRequest {
  /** The resolved model id, never an alias. */
  model: string;
  /** Stable text first; every block may be cached by the provider. */
  system: readonly string[];
  /** How many of these blocks are the same in all sessions, where that is known: a cache may be shared up to there. */
  sharedBlocks?: number;
  tools: readonly ApiTool[];
  /**
   * Tools that the provider runs itself, in the provider's own format. Adapters for providers without such tools leave
   * them out.
   */
  serverTools?: readonly JsonObject[];
  messages: readonly ApiMessage[];
  maxOutputTokens: number;
  thinking?: Thinking;
  effort?: string;
  betas?: readonly string[];
  /** For the provider's abuse handling; opaque. */
  userId?: string;
  /** Give up after this many overloads in a row instead of the usual number of attempts. */
  overloadLimit?: number;
}

/** The event types of the Messages API; other providers translate into them. */
export type StreamEvent = JsonObject & { type: string };

export type FailureClass =
  | 'authentication'
  | 'billing'
  | 'rate_limit'
  | 'overloaded'
  | 'server'
  | 'connection'
  | 'timeout'
  | 'invalid_request'
  | 'prompt_too_long'
  | 'model_not_found'
  | 'malformed'
  | 'aborted';

/**
 * What a model yields. A failure is an event with a class, never a throw, so that the loop decides in one place.
 *
 * - `auth`: the credential helper is slow (true), and has finished (false).
 * - `response`: the provider accepted the request.
 * - `event`: one stream event. `raw` is its JSON text, so that a line can be made by splicing instead of serialising.
 * - `retry`: an attempt failed and another follows after `delayMs`. Everything the failed attempt streamed is void.
 * - `failure`: the call is over; nothing follows.
 * Every call ends with a failure or `message_stop`: adapters report any other end as `connection`.
 */
export type ModelEvent =
  | { type: 'auth'; isAuthenticating: boolean; error?: string }
  | { type: 'response'; requestId: string | null }
  | { type: 'event'; event: StreamEvent; raw: string }
  | { type: 'retry'; attempt: number; maxRetries: number; delayMs: number; failure: Failure }
  | { type: 'failure'; failure: Failure };

/**
 * Events that arrived together may come as one group: an answer of thousands of deltas then costs a promise for each
 * packet, not for each delta. `retry` and `failure` always come alone.
 */
export type ModelYield = ModelEvent | readonly ModelEvent[];

export interface Failure {
  class: FailureClass;
  /** The provider's message, or Heddle's for connection trouble. Never contains a credential. */
  message: string;
  /** HTTP status, when there was an answer. */
  status?: number;
  requestId?: string | null;
  /** The provider's error type, e.g. `overloaded_error`. */
  providerType?: string;
  /** The raw error body, for the wire's `API Error: 400 {…}` texts. */
  body?: string;
  /** How long the provider asked Heddle to wait before the next attempt. */
  retryAfterMs?: number;
}

export interface Model {
  /** Short name for messages and logs: `anthropic`, `offline`, `scripted`. */
  readonly provider: string;
  /** Streams one answer. Ends early with an `aborted` failure when the signal fires. Never throws. */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelYield>;
  /** Closes idle connections; those in use close when their request ends. */
  close?(): void;
}
