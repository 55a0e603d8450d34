import * as z from 'zod/mini';
import { open, word } from '../schema.ts';
import { identity, uuid } from './common.ts';

const text = z.optional(z.string());

/** A call goes on for long. */
export const ToolProgressMessage = open(() => ({
  type: z.literal('tool_progress'),
  tool_use_id: z.string(),
  tool_name: z.string(),
  parent_tool_use_id: z.nullable(z.string()),
  elapsed_time_seconds: z.number(),
  /** How far it is, where the tool itself says so: of `total`, or by itself. */
  progress: z.optional(z.number()),
  total: z.optional(z.number()),
  message: text,
  /** The background task that the call is about. */
  task_id: text,
  /** A sign of life only: nothing is known but that it goes on. */
  heartbeat: z.optional(z.boolean()),
  /** Of a call that runs an agent: which kind, and the request that this agent is about to try again. */
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

/** Sums up a round of tool calls, if asked for. */
export const ToolUseSummaryMessage = open(() => ({
  type: z.literal('tool_use_summary'),
  summary: z.string(),
  preceding_tool_use_ids: z.array(z.string()),
  ...identity,
}));
export type ToolUseSummaryMessage = z.infer<typeof ToolUseSummaryMessage>;

/** A credential is being fetched. */
export const AuthStatusMessage = open(() => ({
  type: z.literal('auth_status'),
  isAuthenticating: z.boolean(),
  output: z.array(z.string()),
  error: text,
  ...identity,
}));
export type AuthStatusMessage = z.infer<typeof AuthStatusMessage>;

/** What became of an input message that carried a uuid. */
export const CommandLifecycleMessage = open(() => ({
  type: z.literal('command_lifecycle'),
  command_uuid: z.string(),
  state: word(['queued', 'started', 'completed', 'cancelled', 'failed']),
  ...identity,
}));
export type CommandLifecycleMessage = z.infer<typeof CommandLifecycleMessage>;

/** The conversation was begun anew. */
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

/** How much of a plan is used up. */
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

/** The limits of a plan have changed. Heddle knows of no plans, and prints none. */
export const RateLimitMessage = open(() => ({
  type: z.literal('rate_limit_event'),
  rate_limit_info: RateLimitInfo,
  ...identity,
}));
export type RateLimitMessage = z.infer<typeof RateLimitMessage>;

/** What the user may want to say next. */
export const PromptSuggestionMessage = open(() => ({
  type: z.literal('prompt_suggestion'),
  suggestion: z.string(),
  ...identity,
}));
export type PromptSuggestionMessage = z.infer<typeof PromptSuggestionMessage>;

/** The goal that a session of the reference works towards; null when there is none any more. */
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

/** What was stored of a transcript, for hosts that keep a copy (`--session-mirror`). */
export const TranscriptMirrorMessage = open(() => ({
  type: z.literal('transcript_mirror'),
  /** The file that has them; subagents have files of their own. */
  filePath: z.string(),
  /** In the order of storing, as they are in the file. */
  entries: z.array(z.looseObject({ type: z.string() })),
}));
export type TranscriptMirrorMessage = z.infer<typeof TranscriptMirrorMessage>;

// Internal to the wire; never printed by a plain run and never shown to consumers.

/** Says nothing; in both directions. */
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
