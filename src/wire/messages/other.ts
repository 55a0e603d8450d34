import * as z from 'zod/mini';
import { open, word } from '../schema.ts';
import { identity, uuid } from './common.ts';

const text = z.optional(z.string());

/** A tool call has been running for long. */
export const ToolProgressMessage = open(() => ({
  type: z.literal('tool_progress'),
  tool_use_id: z.string(),
  tool_name: z.string(),
  parent_tool_use_id: z.nullable(z.string()),
  elapsed_time_seconds: z.number(),
  /** How far the call is, where the tool reports it: out of `total`, or as a plain count. */
  progress: z.optional(z.number()),
  total: z.optional(z.number()),
  message: text,
  /** The background task that the call is about. */
  task_id: text,
  /** True: the line only says that the call still runs. */
  heartbeat: z.optional(z.boolean()),
  /** For a call that runs an agent: the kind of agent, and the request that the agent is about to retry. */
  subagent_type: text,
  subagent_retry: z.optional(
    open({
      agent_id: z.string(),
      attempt: z.number(),
      max_retries: z.number(),
      retry_delay_ms: z.number(),
      error_status: z.nullable(z.number()),
      error_category: z.string(),
    }),
  ),
  ...identity,
}));
export type ToolProgressMessage = z.infer<typeof ToolProgressMessage>;

/** A summary of a round of tool calls. Printed where the launch asks for it. */
export const ToolUseSummaryMessage = open(() => ({
  type: z.literal('tool_use_summary'),
  summary: z.string(),
  preceding_tool_use_ids: z.array(z.string()),
  ...identity,
}));
export type ToolUseSummaryMessage = z.infer<typeof ToolUseSummaryMessage>;

/** Heddle is fetching a credential. */
export const AuthStatusMessage = open(() => ({
  type: z.literal('auth_status'),
  isAuthenticating: z.boolean(),
  output: z.array(z.string()),
  error: text,
  ...identity,
}));
export type AuthStatusMessage = z.infer<typeof AuthStatusMessage>;

/** What happened to an input message that carried a uuid. */
export const CommandLifecycleMessage = open(() => ({
  type: z.literal('command_lifecycle'),
  command_uuid: z.string(),
  state: word(['queued', 'started', 'completed', 'cancelled', 'failed']),
  ...identity,
}));
export type CommandLifecycleMessage = z.infer<typeof CommandLifecycleMessage>;

/** The conversation was cleared. */
export const ConversationResetMessage = open(() => ({
  type: z.literal('conversation_reset'),
  new_conversation_id: uuid,
  trigger: z.optional(word(['clear', 'plan_mode_exit', 'fresh_session', 'onboarding'])),
  user_message_uuid: text,
  timestamp: text,
  ...identity,
}));
export type ConversationResetMessage = z.infer<typeof ConversationResetMessage>;

const limitStatus = word(['allowed', 'allowed_warning', 'rejected']);

/** How much of a plan is used. */
export const RateLimitInfo = open(() => ({
  status: limitStatus,
  resetsAt: z.optional(z.number()),
  rateLimitType: z.optional(
    word([
      ...(['five_hour', 'seven_day', 'seven_day_opus', 'seven_day_sonnet'] as const),
      ...(['seven_day_overage_included', 'overage'] as const),
    ]),
  ),
  utilization: z.optional(z.number()),
  overageStatus: z.optional(limitStatus),
  overageResetsAt: z.optional(z.number()),
  overageDisabledReason: z.optional(
    word([
      ...(['overage_not_provisioned', 'org_level_disabled', 'org_level_disabled_until', 'out_of_credits'] as const),
      ...(['seat_tier_level_disabled', 'member_level_disabled', 'seat_tier_zero_credit_limit'] as const),
      ...(['group_zero_credit_limit', 'member_zero_credit_limit', 'org_service_level_disabled'] as const),
      ...(['no_limits_configured', 'fetch_error', 'unknown'] as const),
    ]),
  ),
  isUsingOverage: z.optional(z.boolean()),
  overageInUse: z.optional(z.boolean()),
  overageEnabled: z.optional(z.boolean()),
  surpassedThreshold: z.optional(z.number()),
  limitScope: z.optional(word(['service', 'channel', 'group_pool'])),
  errorCode: z.optional(word(['credits_required'])),
  canUserPurchaseCredits: z.optional(z.boolean()),
  hasChargeableSavedPaymentMethod: z.optional(z.boolean()),
}));
export type RateLimitInfo = z.infer<typeof RateLimitInfo>;

/** The limits of a plan changed. Heddle knows no plans and never prints this line. */
export const RateLimitMessage = open(() => ({
  type: z.literal('rate_limit_event'),
  rate_limit_info: RateLimitInfo,
  ...identity,
}));
export type RateLimitMessage = z.infer<typeof RateLimitMessage>;

/** A prompt that the user may want to send next. */
export const PromptSuggestionMessage = open(() => ({
  type: z.literal('prompt_suggestion'),
  suggestion: z.string(),
  ...identity,
}));
export type PromptSuggestionMessage = z.infer<typeof PromptSuggestionMessage>;

/** The goal of a session of the reference; null when there is no goal any more. */
export const ActiveGoalMessage = open(() => ({
  type: z.literal('active_goal'),
  value: z.nullable(
    open({
      condition: z.string(),
      iterations: z.number(),
      set_at: z.number(),
      tokens_at_start: z.number(),
      last_reason: text,
    }),
  ),
  ...identity,
}));
export type ActiveGoalMessage = z.infer<typeof ActiveGoalMessage>;

/** The entries that Heddle stored in a transcript, for hosts that keep a copy (`--session-mirror`). */
export const TranscriptMirrorMessage = open(() => ({
  type: z.literal('transcript_mirror'),
  /** The file that holds the entries. Each subagent has its own file. */
  filePath: z.string(),
  /** As they are in the file, in the order in which they were stored. */
  entries: z.array(z.looseObject({ type: z.string() })),
}));
export type TranscriptMirrorMessage = z.infer<typeof TranscriptMirrorMessage>;

// Internal to the wire: a plain run never prints these lines, and consumers never get them.

/** A sign of life without content, in both directions. */
export const KeepAliveMessage = open(() => ({ type: z.literal('keep_alive') }));
export type KeepAliveMessage = z.infer<typeof KeepAliveMessage>;

/** A shorter form of an answer, of the reference. */
export const StreamlinedTextMessage = open(() => ({
  type: z.literal('streamlined_text'),
  text: z.string(),
  ...identity,
}));
export type StreamlinedTextMessage = z.infer<typeof StreamlinedTextMessage>;

/** A shorter form of tool calls, of the reference. */
export const StreamlinedToolUseSummaryMessage = open(() => ({
  type: z.literal('streamlined_tool_use_summary'),
  tool_summary: z.string(),
  ...identity,
}));
export type StreamlinedToolUseSummaryMessage = z.infer<typeof StreamlinedToolUseSummaryMessage>;
