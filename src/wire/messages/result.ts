import * as z from 'zod/mini';
import { ModelUsage, PermissionDenial, Usage } from '../api/usage.ts';
import { FastModeDisabledReason, FastModeState } from '../fast-mode.ts';
import { AnyObject, oneOf, open, word } from '../schema.ts';
import { identity, MessageOrigin } from './common.ts';

/** Why the loop ended. */
export const TerminalReason = word([
  'completed',
  'max_turns',
  'budget_exhausted',
  'structured_output_retry_exhausted',
  'api_error',
  'blocking_limit',
  'rapid_refill_breaker',
  'prompt_too_long',
  'image_error',
  'model_error',
  'malformed_tool_use_exhausted',
  'aborted_streaming',
  'aborted_tools',
  'stop_hook_prevented',
  'hook_stopped',
  'tool_deferred',
  'tool_deferred_unavailable',
  'background_requested',
  'turn_setup_failed',
  'background_stopped',
  'max_duration',
  'empty_answer',
  'refusal',
]);
export type TerminalReason = z.infer<typeof TerminalReason>;

/** Why a run could not start, so that a host can offer a remedy instead of another attempt. */
export const StartupFailureReason = word([
  'org_pin_api_key_conflict',
  'provider_not_allowed',
  'org_verify_failed',
  'org_pin_mismatch',
  'managed_settings_invalid',
  'remote_settings_required_unavailable',
  'gateway_signin_required',
  'gateway_access_denied',
  'proxy_invalid',
  'temp_dir_unusable',
  'cwd_unavailable',
  'shell_tool_missing',
  'session_held_by_background',
  'worktree_resume_refused',
  'worktree_unverified',
  'cli_version_too_old',
  'bypass_root',
  'org_config_required_unavailable',
  'org_config_refused',
  'sandbox_required_unavailable',
  'initialize_not_first',
  'config_file_invalid',
  'managed_settings_not_delivered',
]);
export type StartupFailureReason = z.infer<typeof StartupFailureReason>;

/** Work that continues after the turn. */
export const PendingTask = open(() => ({ task_id: z.string(), task_type: z.string(), description: z.string() }));
export type PendingTask = z.infer<typeof PendingTask>;

export const DeferredToolUse = open(() => ({ id: z.string(), name: z.string(), input: AnyObject }));
export type DeferredToolUse = z.infer<typeof DeferredToolUse>;

const count = z.optional(z.number());
const queuedBehind = z.optional(word(['durable_post', 'ephemeral_post', 'retry_backoff', 'hold', 'none']));

const common = {
  type: z.literal('result'),
  /** Milliseconds of this turn. */
  duration_ms: z.number(),
  /** Milliseconds of waiting for the model's API: of the session, not of the turn. */
  duration_api_ms: z.number(),
  /**
   * Look at this first, whatever the subtype: the `result` of a `success` may be the text of an error instead of an
   * answer.
   */
  is_error: z.boolean(),
  /** One more than the user-role lines that this turn has printed, most of them results of tools. */
  num_turns: z.number(),
  /** Why the model stopped, where the wire carries it: mostly null. `terminal_reason` says why the turn ended. */
  stop_reason: z.nullable(z.string()),
  /** US dollars, of the session with all its resumes, not of the turn. 0 for models without a known price. */
  total_cost_usd: z.number(),
  /** Tokens of this turn. */
  usage: Usage,
  /** Tokens and cost by model: of the session, not of the turn. */
  modelUsage: z.record(z.string(), ModelUsage),
  /** Every tool call of this turn that was not allowed to run. None of them ends a turn. */
  permission_denials: z.array(PermissionDenial),
  ...identity,

  // Later versions of the reference.
  /** Why the turn ended. */
  terminal_reason: z.optional(TerminalReason),
  fast_mode_state: z.optional(FastModeState),
  fast_mode_disabled_reason: z.optional(FastModeDisabledReason),
  /** The HTTP status of the model's API, for an API error; null where there was no answer. */
  api_error_status: z.optional(z.nullable(z.number())),
  api_error_type: z.optional(z.string()),
  api_error: z.optional(z.string()),
  /** Milliseconds from the first request of the turn to the first token of its answer. */
  ttft_ms: count,
  /** Milliseconds from the first request of the turn to the first event of its answer. */
  ttft_stream_ms: count,
  /** Milliseconds from the beginning of the turn to its first request. */
  time_to_request_ms: count,
  /** Times of the reference's processes and cloud, which hosts of its SDK read. Heddle measures none of these. */
  time_to_request_from_spawn_ms: count,
  time_origin_ms: count,
  warm_spare_claimed: z.optional(z.boolean()),
  request_sent_wall_ms: count,
  first_content_frame_ms: count,
  first_stream_post_ms: count,
  first_stream_post_ack_ms: count,
  first_stream_post_wall_ms: count,
  first_stream_post_queue_wait_ms: count,
  first_stream_post_queued_behind: queuedBehind,
  first_text_post_ms: count,
  first_text_post_wall_ms: count,
  first_text_post_queue_wait_ms: count,
  first_text_post_queued_behind: queuedBehind,
  /** How many messages still wait for their turn. */
  queued_turn_count: count,
  /** 0 for the first result of the process; the numbers have no gaps. */
  result_index: count,
  model_usage_since_last_result: z.optional(z.record(z.string(), AnyObject)),
  local_command: z.optional(z.string()),
  /** The sender of the prompt that began the turn, where it is not the person at the host. */
  origin: z.optional(MessageOrigin),
  /** The call that a hook deferred. Heddle asks about it again when the session resumes. */
  deferred_tool_use: z.optional(DeferredToolUse),
  credential_expires_at: z.optional(z.string()),
  resume_reason: z.optional(z.string()),

  // Heddle's own.
  /** Background work that continues after this turn. */
  pending_tasks: z.optional(z.array(PendingTask)),
  /** What went wrong, as a word: `authentication`, `max_turns`, `budget_exhausted` … */
  error_code: z.optional(z.string()),
  /** The input messages that this result answers. */
  user_message_uuids: z.optional(z.array(z.string())),
  /** The first of these messages, or the message that began the turn. */
  user_message_uuid: z.optional(z.string()),
};

/** The turn ended by itself. `is_error` is true when the answer is the text of an API error. */
export const ResultSuccess = open(() => ({
  ...common,
  /** The turn ended by itself, but it may still have failed: look at `is_error`. */
  subtype: z.literal('success'),
  /** The text of the answer; the text of the error when `is_error` is true. */
  result: z.string(),
  /** The answer in the shape that was asked for. Set only with a schema, and unless `is_error` is true. */
  structured_output: z.optional(z.unknown()),
  /** What went wrong, as texts for people. Set when `is_error` is true. */
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
  /** Why the turn did not end by itself; an interrupt is `error_during_execution`. */
  subtype: z.enum(resultErrorSubtypes),
  /** What went wrong, as texts for people. */
  errors: z.array(z.string()),
  /** The last text of the model, where there was one. */
  result: z.optional(z.string()),
  /** For a run that could not start: the reason, where the reference has a word for it. */
  startup_failure_reason: z.optional(StartupFailureReason),
  /** With `config_file_invalid`: the file that is not JSON. */
  invalid_config_file: z.optional(
    open({
      path: z.string(),
      is_global: z.boolean(),
      backup_searched: z.boolean(),
      backup_path: z.optional(z.string()),
    }),
  ),
}));
export type ResultError = z.infer<typeof ResultError>;

export const ResultMessage = oneOf('subtype', () => [ResultSuccess, ResultError]);
export type ResultMessage = ResultSuccess | ResultError;
