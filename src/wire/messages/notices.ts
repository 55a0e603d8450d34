import * as z from 'zod/mini';
import { SlashCommand } from '../control/initialize.ts';
import { word } from '../schema.ts';
import { system } from './common.ts';

const text = z.optional(z.string());
const nullableText = z.optional(z.nullable(z.string()));

/** Before each wait for another attempt (ruling K28). */
export const ApiRetryMessage = system('api_retry', () => ({
  attempt: z.number(),
  max_retries: z.number(),
  retry_delay_ms: z.number(),
  /** Null when there was no answer at all. */
  error_status: z.nullable(z.number()),
  error: z.string(),
}));
export type ApiRetryMessage = z.infer<typeof ApiRetryMessage>;

/** Another model goes on with the turn. */
export const ModelFallbackMessage = system('model_fallback', () => ({
  trigger: z.string(),
  original_model: z.string(),
  fallback_model: z.string(),
  content: text,
}));
export type ModelFallbackMessage = z.infer<typeof ModelFallbackMessage>;

const refusal = {
  original_model: z.string(),
  request_id: nullableText,
  api_refusal_category: nullableText,
  api_refusal_explanation: nullableText,
  content: text,
};
/** A model refused, and another one goes on. */
export const ModelRefusalFallbackMessage = system('model_refusal_fallback', () => ({
  ...refusal,
  fallback_model: text,
}));
export type ModelRefusalFallbackMessage = z.infer<typeof ModelRefusalFallbackMessage>;

/** A model refused, and no other one goes on. */
export const ModelRefusalNoFallbackMessage = system('model_refusal_no_fallback', () => refusal);
export type ModelRefusalNoFallbackMessage = z.infer<typeof ModelRefusalNoFallbackMessage>;

/** A denial that nobody was asked about. Stands before the result of the call. */
export const PermissionDeniedMessage = system('permission_denied', () => ({
  tool_name: z.string(),
  tool_use_id: z.string(),
  /** The agent that wanted it; absent on the main thread. */
  agent_id: text,
  /** What the model is told. */
  message: z.string(),
  decision_reason_type: text,
  decision_reason_code: text,
  decision_reason: text,
}));
export type PermissionDeniedMessage = z.infer<typeof PermissionDeniedMessage>;

/** A text for people that the model does not see. */
export const InformationalMessage = system('informational', () => ({
  content: z.string(),
  level: word(['info', 'notice', 'suggestion', 'warning', 'error']),
  tag: text,
  isMeta: z.optional(z.boolean()),
  prevent_continuation: z.optional(z.boolean()),
  timestamp: text,
}));
export type InformationalMessage = z.infer<typeof InformationalMessage>;

/** A text that deserves attention for a moment. */
export const NotificationMessage = system('notification', () => ({
  key: z.string(),
  text: z.string(),
  priority: word(['immediate', 'high', 'medium', 'low']),
}));
export type NotificationMessage = z.infer<typeof NotificationMessage>;

/** Whether the session works, waits, or wants an answer. */
export const SessionStateChangedMessage = system('session_state_changed', () => ({
  state: word(['idle', 'running', 'requires_action']),
  sdk_host_only: z.optional(z.boolean()),
}));
export type SessionStateChangedMessage = z.infer<typeof SessionStateChangedMessage>;

/** The session has another title. */
export const SessionTitleChangedMessage = system('session_title_changed', () => ({ title: z.string() }));
export type SessionTitleChangedMessage = z.infer<typeof SessionTitleChangedMessage>;

/** What a command said that no model was asked for. */
export const LocalCommandOutputMessage = system('local_command_output', () => ({ content: z.string() }));
export type LocalCommandOutputMessage = z.infer<typeof LocalCommandOutputMessage>;

/** The slash commands are others now: these, in the place of all that were told before. */
export const CommandsChangedMessage = system('commands_changed', () => ({ commands: z.array(SlashCommand) }));
export type CommandsChangedMessage = z.infer<typeof CommandsChangedMessage>;

/** A session store did not take what it was given. */
export const MirrorErrorMessage = system('mirror_error', () => ({ error: z.string() }));
export type MirrorErrorMessage = z.infer<typeof MirrorErrorMessage>;

/** Something could not be written to the session. */
export const SessionWritesLostMessage = system('session_writes_lost', () => ({}));
export type SessionWritesLostMessage = z.infer<typeof SessionWritesLostMessage>;

/** What an MCP server had asked the user for by an address is done. */
export const ElicitationCompleteMessage = system('elicitation_complete', () => ({ elicitation_id: text }));
export type ElicitationCompleteMessage = z.infer<typeof ElicitationCompleteMessage>;

/** How much the model has thought so far. */
export const ThinkingTokensMessage = system('thinking_tokens', () => ({
  estimated_tokens: z.number(),
  estimated_tokens_delta: z.number(),
}));
export type ThinkingTokensMessage = z.infer<typeof ThinkingTokensMessage>;
