import type { UUID } from 'node:crypto';
import { describe, expectTypeOf, test } from 'vitest';
import type {
  ContentBlock,
  Message,
  ModelUsage,
  NonNullableUsage,
  SDKAssistantMessage,
  SDKAuthStatusMessage,
  SDKCompactBoundaryMessage,
  SDKFilesPersistedEvent,
  SDKHookProgressMessage,
  SDKHookResponseMessage,
  SDKHookStartedMessage,
  SDKMessage,
  SDKPartialAssistantMessage,
  SDKPermissionDenial,
  SDKResultMessage,
  SDKStatusMessage,
  SDKSystemMessage,
  SDKTaskNotificationMessage,
  SDKToolProgressMessage,
  SDKToolUseSummaryMessage,
  SDKUserMessage,
  SDKUserMessageReplay,
  StdoutMessage,
  UserInput,
  UserMessage,
} from '../../src/wire/index.ts';

describe('message types', () => {
  test('[MSG-27] the public variants are those of 0.2.44, and all that came since: an exhaustive switch compiles', () => {
    type Sixteen =
      | SDKAssistantMessage
      | SDKUserMessageReplay
      | SDKResultMessage
      | SDKSystemMessage
      | SDKPartialAssistantMessage
      | SDKCompactBoundaryMessage
      | SDKStatusMessage
      | SDKHookStartedMessage
      | SDKHookProgressMessage
      | SDKHookResponseMessage
      | SDKToolProgressMessage
      | SDKAuthStatusMessage
      | SDKTaskNotificationMessage
      | SDKFilesPersistedEvent
      | SDKToolUseSummaryMessage;
    expectTypeOf<Sixteen>().toExtend<SDKMessage>();
    expectTypeOf<Extract<SDKMessage, { type: 'user' }>>().toExtend<SDKUserMessage>();
    expectTypeOf(label).parameter(0).toEqualTypeOf<SDKMessage>();
  });

  test('[MSG-29] stdout adds exactly six internal kinds', () => {
    type Internal =
      | 'streamlined_text'
      | 'streamlined_tool_use_summary'
      | 'keep_alive'
      | 'control_request'
      | 'control_response'
      | 'control_cancel_request';
    expectTypeOf<Exclude<StdoutMessage, SDKMessage>['type']>().toEqualTypeOf<Internal>();
    expectTypeOf<SDKMessage>().toExtend<StdoutMessage>();
  });

  test('[MSG-31] the five reduced kinds narrow by their type', () => {
    expectTypeOf<Extract<Message, { type: 'assistant' }>['message']['content']>().toEqualTypeOf<ContentBlock[]>();
    expectTypeOf<Extract<Message, { type: 'user' }>>().toEqualTypeOf<UserMessage>();
    expectTypeOf<SDKResultMessage>().toExtend<Extract<Message, { type: 'result' }>>();
    expectTypeOf<SDKSystemMessage>().toExtend<Extract<Message, { subtype: 'init' }>>();
    expectTypeOf<SDKPartialAssistantMessage['type']>().toEqualTypeOf<'stream_event'>();
  });

  test('[FWD-06] content blocks narrow by their type', () => {
    expectTypeOf<Extract<ContentBlock, { type: 'text' }>['text']>().toEqualTypeOf<string>();
    expectTypeOf<Extract<ContentBlock, { type: 'thinking' }>['thinking']>().toEqualTypeOf<string>();
    expectTypeOf<Extract<ContentBlock, { type: 'tool_use' }>['name']>().toEqualTypeOf<string>();
    expectTypeOf<Extract<ContentBlock, { type: 'tool_result' }>['tool_use_id']>().toEqualTypeOf<string>();
  });

  test('[FWD-07] what hosts send and what they receive are two types', () => {
    expectTypeOf<UserInput>().not.toExtend<UserMessage>();
    expectTypeOf<UserInput['uuid']>().toEqualTypeOf<string | undefined>();
    expectTypeOf<UserMessage['uuid']>().toEqualTypeOf<string>();
    expectTypeOf<UserInput>().toExtend<SDKUserMessage>();
    expectTypeOf<SDKMessage['uuid']>().toEqualTypeOf<UUID | undefined>();
  });

  test('types are closed: what is not declared is not there', () => {
    expectTypeOf<keyof SDKToolUseSummaryMessage>().toEqualTypeOf<
      'type' | 'summary' | 'preceding_tool_use_ids' | 'uuid' | 'session_id' | 'seq'
    >();
  });
});

describe('field types', () => {
  test('[FLD-41] the four counters of a result are numbers', () => {
    type Counter = 'input_tokens' | 'output_tokens' | 'cache_creation_input_tokens' | 'cache_read_input_tokens';
    expectTypeOf<Required<Pick<NonNullableUsage, Counter>>>().toEqualTypeOf<Pick<NonNullableUsage, Counter>>();
    expectTypeOf<NonNullableUsage[Counter]>().toEqualTypeOf<number>();
    expectTypeOf<SDKResultMessage['usage']>().toEqualTypeOf<NonNullableUsage>();
  });

  test('[FLD-42] model usage', () => {
    type Field =
      | 'inputTokens'
      | 'outputTokens'
      | 'cacheReadInputTokens'
      | 'cacheCreationInputTokens'
      | 'webSearchRequests'
      | 'costUSD'
      | 'contextWindow'
      | 'maxOutputTokens';
    expectTypeOf<ModelUsage>().toExtend<Record<Field, number>>();
  });

  test('[FLD-43] permission denial', () => {
    type Shape = { tool_name: string; tool_use_id: string; tool_input: Record<string, unknown> };
    expectTypeOf<SDKPermissionDenial>().toEqualTypeOf<Shape>();
  });

  test('[MSG-20] [FLD-35] tool use summary', () => {
    type Shape = { type: 'tool_use_summary'; summary: string; preceding_tool_use_ids: string[] };
    expectTypeOf<SDKToolUseSummaryMessage>().toExtend<Shape>();
  });

  test('[MSG-19] [FLD-36] authentication status', () => {
    type Shape = { type: 'auth_status'; isAuthenticating: boolean; output: string[]; error?: string | undefined };
    expectTypeOf<SDKAuthStatusMessage>().toExtend<Shape>();
  });

  test('[MSG-08] [FLD-37] persisted files', () => {
    type Shape = {
      subtype: 'files_persisted';
      files: { filename: string; file_id: string }[];
      failed: { filename: string; error: string }[];
      processed_at: string;
    };
    expectTypeOf<SDKFilesPersistedEvent>().toExtend<Shape>();
  });
});

function label(message: SDKMessage): string {
  switch (message.type) {
    case 'assistant':
    case 'user':
    case 'stream_event':
    case 'tool_progress':
    case 'auth_status':
    case 'tool_use_summary':
    case 'conversation_reset':
    case 'rate_limit_event':
    case 'prompt_suggestion':
      return message.type;
    case 'result':
      return message.subtype === 'success' ? message.result : message.errors.join();
    case 'system':
      switch (message.subtype) {
        case 'init':
        case 'task_notification':
        case 'compact_boundary':
        case 'status':
        case 'hook_started':
        case 'hook_progress':
        case 'hook_response':
        case 'files_persisted':
          return message.subtype;
        case 'api_retry':
          return `${message.error} ${message.attempt}/${message.max_retries}`;
        case 'task_started':
        case 'task_progress':
          return message.description;
        case 'task_updated':
          return message.patch.status ?? '';
        case 'background_tasks_changed':
          return message.tasks.map(({ description }) => description).join();
        case 'session_state_changed':
          return message.state;
        case 'local_command_output':
        case 'informational':
          return message.content;
        case 'notification':
          return message.text;
        case 'permission_denied':
          return message.tool_name;
        case 'model_refusal_fallback':
          return `${message.original_model} ${message.fallback_model} ${message.direction}`;
        case 'model_refusal_no_fallback':
          return message.original_model;
        case 'commands_changed':
          return message.commands.map(({ name }) => name).join();
        case 'mirror_error':
          return message.key.sessionId;
        case 'session_writes_lost':
          return message.lost.join();
        case 'elicitation_complete':
          return message.elicitation_id;
        case 'thinking_tokens':
          return String(message.estimated_tokens);
        case 'control_request_progress':
          return message.request_id;
        case 'plugin_install':
          return message.status;
        case 'worker_shutting_down':
          return message.reason;
        case 'memory_recall':
          return message.memories.map(({ path }) => path).join();
        default:
          return message satisfies never;
      }
    default:
      return message satisfies never;
  }
}
