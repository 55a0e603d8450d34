import * as z from 'zod/mini';
import { AnyObject, oneOf, open, word } from '../schema.ts';
import { ModelUsage, PermissionDenial, Usage } from '../usage.ts';
import { identity, MessageOrigin } from './common.ts';

/** Why the loop ended. */
export const TerminalReason = word([
  'completed',
  'max_turns',
  'budget_exhausted',
  'structured_output_retry_exhausted',
  'api_error',
  'prompt_too_long',
  'aborted_streaming',
  'aborted_tools',
  'hook_stopped',
  'tool_deferred',
  'background_stopped',
  'max_duration',
  'empty_answer',
  'refusal',
]);
export type TerminalReason = z.infer<typeof TerminalReason>;

/** Work that goes on after the turn (ruling K25). */
export const PendingTask = open(() => ({ task_id: z.string(), task_type: z.string(), description: z.string() }));
export type PendingTask = z.infer<typeof PendingTask>;

const count = z.optional(z.number());

const common = {
  type: z.literal('result'),
  duration_ms: z.number(),
  duration_api_ms: z.number(),
  is_error: z.boolean(),
  num_turns: z.number(),
  stop_reason: z.nullable(z.string()),
  /** Cumulative for the process, like `modelUsage`; `usage` is this turn only. */
  total_cost_usd: z.number(),
  usage: Usage,
  modelUsage: z.record(z.string(), ModelUsage),
  permission_denials: z.array(PermissionDenial),
  ...identity,

  // Later versions of the reference.
  terminal_reason: z.optional(TerminalReason),
  fast_mode_state: z.optional(z.string()),
  api_error_status: z.optional(z.nullable(z.number())),
  api_error_type: z.optional(z.string()),
  api_error: z.optional(z.string()),
  /** From the first request of the turn to the first token of its answer; `ttft_stream_ms`: to its first event. */
  ttft_ms: count,
  ttft_stream_ms: count,
  /** From the beginning of the turn to that request. */
  time_to_request_ms: count,
  queued_turn_count: count,
  result_index: count,
  model_usage_since_last_result: z.optional(z.record(z.string(), AnyObject)),
  local_command: z.optional(z.string()),
  /** Who has begun the turn, where that was not the person at the host. */
  origin: z.optional(MessageOrigin),
  deferred_tool_use: z.optional(z.unknown()),

  // Heddle's own.
  pending_tasks: z.optional(z.array(PendingTask)),
  error_code: z.optional(z.string()),
  /** The input messages that this result answers (ruling K26). */
  user_message_uuids: z.optional(z.array(z.string())),
};

/** The turn ended by itself. `is_error` is true when the answer is the text of an API error (ruling K24). */
export const ResultSuccess = open(() => ({
  ...common,
  subtype: z.literal('success'),
  result: z.string(),
  /** Present only with a schema [FLD-29]. */
  structured_output: z.optional(z.unknown()),
  errors: z.optional(z.array(z.string())),
}));
export type ResultSuccess = z.infer<typeof ResultSuccess>;

export const resultErrorSubtypes = [
  'error_during_execution',
  'error_max_turns',
  'error_max_budget_usd',
  'error_max_structured_output_retries',
] as const;

/** The turn did not end by itself: an error, an interrupt or a limit. */
export const ResultError = open(() => ({
  ...common,
  subtype: z.enum(resultErrorSubtypes),
  errors: z.array(z.string()),
  /** The last text of the model, where there was one. */
  result: z.optional(z.string()),
}));
export type ResultError = z.infer<typeof ResultError>;

export const ResultMessage = oneOf('subtype', () => [ResultSuccess, ResultError]);
export type ResultMessage = ResultSuccess | ResultError;
