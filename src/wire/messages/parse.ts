import type * as z from 'zod/mini';
import { isObject } from '../../util/json.ts';
import { MessageParseError } from '../errors.ts';
import { firstIssue } from '../schema.ts';
import { AssistantMessage } from './assistant.ts';
import {
  FilesRestoredMessage,
  HostsChangedMessage,
  InputErrorMessage,
  QuestionAnsweredMessage,
  ResumeReportMessage,
  SupersededMessage,
} from './heddle.ts';
import { SystemInitMessage } from './init.ts';
import * as notices from './notices.ts';
import * as other from './other.ts';
import { ResultError, ResultSuccess } from './result.ts';
import { StreamEventMessage } from './stream-event.ts';
import * as system from './system.ts';
import * as tasks from './tasks.ts';
import { UserMessage } from './user.ts';

export type ParsedMessage = { ok: true; message: Message } | { ok: false; error: MessageParseError };

/**
 * Reads one line of stdout that is not a control frame.
 * - A known kind must have its shape; the error names the first bad field.
 * - Unknown types and subtypes pass, though the type `Message` does not list them: consumers need a default branch.
 * - Returns the value itself, not a copy, so that no field is lost.
 *
 * @example
 * ```ts
 * const parsed = parseMessage({ type: 'assistant', message: 'not an object' });
 * if (!parsed.ok) console.error(parsed.error.message);
 * else if (parsed.message.type === 'result') console.log(parsed.message.subtype);
 * ```
 */
export function parseMessage(value: unknown): ParsedMessage {
  if (!isObject(value)) return refuse('a message is a JSON object');
  const { type, subtype } = value;
  if (typeof type !== 'string') return refuse('type: expected a string');
  const hasSubtypes = type === 'system' || type === 'result';
  if (hasSubtypes && typeof subtype !== 'string') return refuse(`${type}: subtype: expected a string`, type);

  const kind = hasSubtypes ? `${type}/${subtype}` : type;
  const schema = schemaByKind.get(kind);
  if (!schema) return { ok: true, message: value as Message };
  const checked = schema.safeParse(value);
  if (!checked.success) return refuse(`${kind}: ${firstIssue(checked.error)}`, kind);
  return { ok: true, message: value as Message };
}

/** The error does not carry the value: logs must not contain the text of a conversation. */
function refuse(detail: string, kind?: string): ParsedMessage {
  return { ok: false, error: new MessageParseError(detail, { facts: { kind } }) };
}

/** Every kind of message, by `type` or `type/subtype`. */
export const messageSchemas = {
  assistant: AssistantMessage,
  user: UserMessage,
  stream_event: StreamEventMessage,
  'result/success': ResultSuccess,
  'result/error_during_execution': ResultError,
  'result/error_max_turns': ResultError,
  'result/error_max_budget_usd': ResultError,
  'result/error_max_structured_output_retries': ResultError,

  'system/init': SystemInitMessage,
  'system/status': system.StatusMessage,
  'system/compact_boundary': system.CompactBoundaryMessage,
  'system/hook_started': system.HookStartedMessage,
  'system/hook_progress': system.HookProgressMessage,
  'system/hook_response': system.HookResponseMessage,
  'system/files_persisted': system.FilesPersistedMessage,

  'system/task_notification': tasks.TaskNotificationMessage,
  'system/task_started': tasks.TaskStartedMessage,
  'system/task_progress': tasks.TaskProgressMessage,
  'system/task_updated': tasks.TaskUpdatedMessage,
  'system/background_tasks_changed': tasks.BackgroundTasksChangedMessage,

  'system/api_retry': notices.ApiRetryMessage,
  'system/model_fallback': notices.ModelFallbackMessage,
  'system/model_refusal_fallback': notices.ModelRefusalFallbackMessage,
  'system/model_refusal_no_fallback': notices.ModelRefusalNoFallbackMessage,
  'system/permission_denied': notices.PermissionDeniedMessage,
  'system/informational': notices.InformationalMessage,
  'system/notification': notices.NotificationMessage,
  'system/session_state_changed': notices.SessionStateChangedMessage,
  'system/session_title_changed': notices.SessionTitleChangedMessage,
  'system/local_command_output': notices.LocalCommandOutputMessage,
  'system/commands_changed': notices.CommandsChangedMessage,
  'system/mirror_error': notices.MirrorErrorMessage,
  'system/session_writes_lost': notices.SessionWritesLostMessage,
  'system/elicitation_complete': notices.ElicitationCompleteMessage,
  'system/thinking_tokens': notices.ThinkingTokensMessage,
  'system/control_request_progress': notices.ControlRequestProgressMessage,
  'system/plugin_install': notices.PluginInstallMessage,
  'system/worker_shutting_down': notices.WorkerShuttingDownMessage,
  'system/memory_recall': notices.MemoryRecallMessage,

  'system/resume_report': ResumeReportMessage,
  'system/input_error': InputErrorMessage,
  'system/files_restored': FilesRestoredMessage,
  'system/hosts_changed': HostsChangedMessage,
  'system/question_answered': QuestionAnsweredMessage,
  'system/superseded': SupersededMessage,

  tool_progress: other.ToolProgressMessage,
  tool_use_summary: other.ToolUseSummaryMessage,
  auth_status: other.AuthStatusMessage,
  command_lifecycle: other.CommandLifecycleMessage,
  conversation_reset: other.ConversationResetMessage,
  rate_limit_event: other.RateLimitMessage,
  prompt_suggestion: other.PromptSuggestionMessage,
  active_goal: other.ActiveGoalMessage,
  transcript_mirror: other.TranscriptMirrorMessage,

  keep_alive: other.KeepAliveMessage,
  streamlined_text: other.StreamlinedTextMessage,
  streamlined_tool_use_summary: other.StreamlinedToolUseSummaryMessage,
};

/** A map, because `type` comes from outside and may be the name of an inherited property. */
const schemaByKind: ReadonlyMap<string, z.ZodMiniType> = new Map(Object.entries(messageSchemas));

/** Every line that is not a control frame. The loop yields these, too. */
export type Message = z.infer<(typeof messageSchemas)[keyof typeof messageSchemas]>;
