import * as z from 'zod/mini';
import { open, word } from '../schema.ts';
import { identity } from './common.ts';

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
  new_conversation_id: text,
  ...identity,
}));
export type ConversationResetMessage = z.infer<typeof ConversationResetMessage>;

/** How much of a plan is used up. */
export const RateLimitMessage = open(() => ({
  type: z.literal('rate_limit_event'),
  rate_limit_info: z.optional(z.unknown()),
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
