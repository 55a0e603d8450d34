import * as z from 'zod/mini';
import { open, word } from '../schema.ts';
import { AssistantMessageError } from './assistant.ts';
import { system } from './common.ts';
import { SlashCommand } from './slash-command.ts';

const text = z.optional(z.string());
const nullableText = z.optional(z.nullable(z.string()));

/** Printed before each wait for another attempt. */
export const ApiRetryMessage = system('api_retry', () => ({
  attempt: z.number(),
  max_retries: z.number(),
  retry_delay_ms: z.number(),
  /** The HTTP status. Null when there was no answer. */
  error_status: z.nullable(z.number()),
  /** The kind of error. */
  error: AssistantMessageError,
  /** Heddle's own: the error as a text for people. */
  message: text,
  /** Where no answer came: how long Heddle waited for one, and how long it waits before the next attempt. */
  no_response: z.optional(open({ waited_ms: z.number(), retry_wait_ms: z.number() })),
}));
export type ApiRetryMessage = z.infer<typeof ApiRetryMessage>;

/** Another model continues the turn. */
export const ModelFallbackMessage = system('model_fallback', () => ({
  trigger: z.string(),
  original_model: z.string(),
  fallback_model: z.string(),
  content: text,
}));
export type ModelFallbackMessage = z.infer<typeof ModelFallbackMessage>;

const refusal = {
  original_model: z.string(),
  request_id: z.nullable(z.string()),
  api_refusal_category: nullableText,
  api_refusal_explanation: nullableText,
  refused_user_message_uuid: nullableText,
  content: z.string(),
};
/** A model refused, and another one continues. The reference prints this line; in Heddle a refusal ends the turn. */
export const ModelRefusalFallbackMessage = system('model_refusal_fallback', () => ({
  ...refusal,
  trigger: word(['refusal']),
  direction: word(['retry', 'revert', 'sticky']),
  scope: z.optional(word(['session', 'local'])),
  fallback_model: z.string(),
  retracted_message_uuids: z.optional(z.array(z.string())),
}));
export type ModelRefusalFallbackMessage = z.infer<typeof ModelRefusalFallbackMessage>;

/** A model refused, and no other one continues. */
export const ModelRefusalNoFallbackMessage = system('model_refusal_no_fallback', () => refusal);
export type ModelRefusalNoFallbackMessage = z.infer<typeof ModelRefusalNoFallbackMessage>;

/** Heddle denied a call without a question to the host. The line comes before the result of the call. */
export const PermissionDeniedMessage = system('permission_denied', () => ({
  tool_name: z.string(),
  tool_use_id: z.string(),
  /** The agent that made the call; absent on the main thread. */
  agent_id: text,
  /** The text that the model gets. */
  message: z.string(),
  decision_reason_type: text,
  decision_reason_code: text,
  decision_reason: text,
}));
export type PermissionDeniedMessage = z.infer<typeof PermissionDeniedMessage>;

/** A text for people that the model does not see. */
export const InformationalMessage = system('informational', () => ({
  content: z.string(),
  level: word(['info', 'notice', 'suggestion', 'warning']),
  tag: text,
  isMeta: z.optional(z.boolean()),
  tool_use_id: text,
  prevent_continuation: z.optional(z.boolean()),
  timestamp: text,
}));
export type InformationalMessage = z.infer<typeof InformationalMessage>;

/** A text that deserves attention for a moment. */
export const NotificationMessage = system('notification', () => ({
  key: z.string(),
  text: z.string(),
  priority: word(['immediate', 'high', 'medium', 'low']),
  color: text,
  timeout_ms: z.optional(z.number()),
}));
export type NotificationMessage = z.infer<typeof NotificationMessage>;

/** Whether the session works, is idle, or waits for an answer of the host. */
export const SessionStateChangedMessage = system('session_state_changed', () => ({
  state: word(['idle', 'running', 'requires_action']),
  sdk_host_only: z.optional(z.boolean()),
}));
export type SessionStateChangedMessage = z.infer<typeof SessionStateChangedMessage>;

/** The title of the session changed. */
export const SessionTitleChangedMessage = system('session_title_changed', () => ({ title: z.string() }));
export type SessionTitleChangedMessage = z.infer<typeof SessionTitleChangedMessage>;

/** The output of a command that ran without the model. */
export const LocalCommandOutputMessage = system('local_command_output', () => ({ content: z.string() }));
export type LocalCommandOutputMessage = z.infer<typeof LocalCommandOutputMessage>;

/** The slash commands changed. This list replaces all earlier lists. */
export const CommandsChangedMessage = system('commands_changed', () => ({ commands: z.array(SlashCommand) }));
export type CommandsChangedMessage = z.infer<typeof CommandsChangedMessage>;

/** A session store did not accept entries. */
export const MirrorErrorMessage = system('mirror_error', () => ({
  error: z.string(),
  key: open({ projectKey: z.string(), sessionId: z.string(), subpath: text }),
}));
export type MirrorErrorMessage = z.infer<typeof MirrorErrorMessage>;

/** Entries could not be written to the session. Heddle ends the turn with an error instead of printing this line. */
export const SessionWritesLostMessage = system('session_writes_lost', () => ({
  error_code: word(['ENOSPC', 'EDQUOT']),
  lost: z.array(word(['transcript', 'global_config'])),
  transcript_session_ids: z.optional(z.array(z.string())),
}));
export type SessionWritesLostMessage = z.infer<typeof SessionWritesLostMessage>;

/** The user completed a request that an MCP server had made by an address. */
export const ElicitationCompleteMessage = system('elicitation_complete', () => ({
  mcp_server_name: z.string(),
  elicitation_id: z.string(),
}));
export type ElicitationCompleteMessage = z.infer<typeof ElicitationCompleteMessage>;

/** The number of tokens that the model has used for thinking so far. */
export const ThinkingTokensMessage = system('thinking_tokens', () => ({
  estimated_tokens: z.number(),
  estimated_tokens_delta: z.number(),
  user_message_uuid: text,
}));
export type ThinkingTokensMessage = z.infer<typeof ThinkingTokensMessage>;

/** The progress of a control request that takes long. */
export const ControlRequestProgressMessage = system('control_request_progress', () => ({
  request_id: z.string(),
  status: word(['started', 'api_retry']),
  attempt: z.optional(z.number()),
  max_retries: z.optional(z.number()),
  retry_delay_ms: z.optional(z.number()),
  error_status: z.optional(z.nullable(z.number())),
}));
export type ControlRequestProgressMessage = z.infer<typeof ControlRequestProgressMessage>;

/** The progress of an installation of plugins. A run of Heddle installs none. */
export const PluginInstallMessage = system('plugin_install', () => ({
  status: word(['started', 'installed', 'failed', 'completed']),
  name: text,
  error: text,
}));
export type PluginInstallMessage = z.infer<typeof PluginInstallMessage>;

/** Why a worker of the reference's cloud shuts down. */
export const WorkerShuttingDownMessage = system('worker_shutting_down', () => ({ reason: z.string() }));
export type WorkerShuttingDownMessage = z.infer<typeof WorkerShuttingDownMessage>;

/** Memories that the reference recalled by itself. */
export const MemoryRecallMessage = system('memory_recall', () => ({
  mode: word(['select', 'synthesize']),
  memories: z.array(open({ path: z.string(), scope: word(['personal', 'team', 'organization']), content: text })),
}));
export type MemoryRecallMessage = z.infer<typeof MemoryRecallMessage>;
