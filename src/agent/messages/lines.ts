import type { AnswerHead } from '../../model/accumulate.ts';
import type { ModelEvent, StreamEvent } from '../../model/model.ts';
import type { ToolProgress } from '../../tools/tool.ts';
import type { ContentBlock, ToolResultBlock, ToolUseBlock } from '../../wire/api/content.ts';
import { RAW_JSON } from '../../wire/link/jsonl.ts';
import type {
  ApiAssistantMessage,
  AssistantMessage,
  AuthStatusMessage,
  Message,
  RawStreamEvent,
  StatusMessage,
  StreamEventMessage,
  ToolProgressMessage,
  UserMessage,
} from '../../wire/messages/index.ts';
import { lineIds, systemLine } from '../system-line.ts';
import type { Turn } from '../turn.ts';

/** One complete block of an answer. Each block has its own line; all lines of an answer share its message id. */
export function assistantLine(turn: Turn, head: AnswerHead, block: ContentBlock): AssistantMessage {
  return {
    type: 'assistant',
    message: {
      id: head.id,
      type: 'message',
      role: 'assistant',
      model: head.model,
      content: [block],
      stop_reason: null,
      stop_sequence: null,
      usage: head.usage,
      context_management: head.contextManagement ?? null,
    },
    parent_tool_use_id: turn.parentToolUseId,
    session_id: turn.sessionId,
    uuid: turn.runtime.ids.uuid(),
  };
}

/** An API error as the text of an answer, marked by `error`; no model wrote it. */
export function errorLine(turn: Turn, error: NonNullable<AssistantMessage['error']>, text: string): AssistantMessage {
  return {
    type: 'assistant',
    message: syntheticMessage(turn.runtime.ids.uuid(), text, { stop_reason: 'stop_sequence', stop_sequence: '' }),
    parent_tool_use_id: turn.parentToolUseId,
    session_id: turn.sessionId,
    uuid: turn.runtime.ids.uuid(),
    error,
  };
}

/** A message in the form of a model's answer that no model wrote. */
export function syntheticMessage(
  id: string,
  text: string,
  stop: Pick<ApiAssistantMessage, 'stop_reason' | 'stop_sequence'>,
): ApiAssistantMessage {
  return {
    id,
    container: null,
    model: '<synthetic>',
    role: 'assistant',
    ...stop,
    type: 'message',
    usage: {
      input_tokens: 0,
      output_tokens: 0,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      server_tool_use: { web_search_requests: 0, web_fetch_requests: 0 },
      service_tier: null,
      cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: 0 },
      inference_geo: null,
      iterations: null,
      speed: null,
    },
    content: [{ type: 'text', text }],
    context_management: null,
  };
}

/** A credential helper is at work, or has finished. */
export function authStatusLine(
  turn: Turn,
  { isAuthenticating, error }: Extract<ModelEvent, { type: 'auth' }>,
): AuthStatusMessage {
  return {
    type: 'auth_status',
    isAuthenticating,
    output: [],
    ...(error !== undefined && { error }),
    session_id: turn.sessionId,
    uuid: turn.runtime.ids.uuid(),
  };
}

/** The turn's current activity; null when it is over. */
export function statusLine(
  turn: Turn,
  status: StatusMessage['status'],
  outcome?: Pick<StatusMessage, 'compact_result' | 'compact_error'>,
): Message {
  return systemLine(lineIds(turn), 'status', { status, ...outcome });
}

export function toolResultLine(turn: Turn, block: ToolResultBlock, toolUseResult: unknown): UserMessage {
  return {
    type: 'user',
    message: { role: 'user', content: [block] },
    parent_tool_use_id: turn.parentToolUseId,
    session_id: turn.sessionId,
    uuid: turn.runtime.ids.uuid(),
    tool_use_result: toolUseResult,
  };
}

/** Shows that a long call is still running. */
export function toolProgressLine(
  turn: Turn,
  call: ToolUseBlock,
  { elapsedMs, progress }: { elapsedMs: number; progress?: ToolProgress | undefined },
): ToolProgressMessage {
  return {
    type: 'tool_progress',
    tool_use_id: call.id,
    tool_name: call.name,
    parent_tool_use_id: turn.parentToolUseId,
    elapsed_time_seconds: elapsedMs / 1000,
    ...progress,
    ...(turn.mentionsToday && progress === undefined && { heartbeat: true }),
    session_id: turn.sessionId,
    uuid: turn.runtime.ids.uuid(),
  };
}

/** The two literal markers of an interrupted turn. */
export const INTERRUPTED = '[Request interrupted by user]';
export const INTERRUPTED_FOR_TOOL = '[Request interrupted by user for tool use]';

export function userTextLine(turn: Turn, text: string): UserMessage {
  return {
    type: 'user',
    message: { role: 'user', content: [{ type: 'text', text }] },
    parent_tool_use_id: turn.parentToolUseId,
    session_id: turn.sessionId,
    uuid: turn.runtime.ids.uuid(),
  };
}

/** A raw model event. The line's text is spliced from the event's own text: serialising 2,000 deltas again costs more. */
export function streamEventLine(turn: Turn, uuid: string, event: StreamEvent, raw: string): StreamEventMessage {
  const line: StreamEventMessage = {
    type: 'stream_event',
    event: event as RawStreamEvent,
    session_id: turn.sessionId,
    parent_tool_use_id: turn.parentToolUseId,
    uuid,
  };
  const parent = JSON.stringify(turn.parentToolUseId);
  const text = `{"type":"stream_event","event":${raw},"session_id":"${turn.sessionId}","parent_tool_use_id":${parent},"uuid":"${uuid}"}`;
  Object.defineProperty(line, RAW_JSON, { value: text });
  return line;
}
