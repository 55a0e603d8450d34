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
  test('[MSG-27] an exhaustive switch over the sixteen public variants compiles', () => {
    expectTypeOf(label).parameter(0).toEqualTypeOf<SDKMessage>();
    // What hosts write may leave out what agents always say.
    type Said = Pick<UserMessage, 'session_id' | 'parent_tool_use_id'>;
    type Listed =
      | SDKAssistantMessage
      | (SDKUserMessage & Said)
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
    expectTypeOf<SDKMessage>().toEqualTypeOf<Listed>();
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
    expectTypeOf<Extract<Message, { type: 'result' }>>().toExtend<SDKResultMessage>();
    expectTypeOf<SDKResultMessage>().toExtend<Extract<Message, { type: 'result' }>>();
    expectTypeOf<Extract<Message, { subtype: 'init' }>>().toEqualTypeOf<SDKSystemMessage>();
    expectTypeOf<Extract<Message, { type: 'stream_event' }>>().toEqualTypeOf<SDKPartialAssistantMessage>();
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
    expectTypeOf<SDKUserMessage>().toExtend<UserInput>();
  });

  test('types are closed: what is not declared is not there', () => {
    expectTypeOf<keyof SDKToolUseSummaryMessage>().toEqualTypeOf<
      'type' | 'summary' | 'preceding_tool_use_ids' | 'uuid' | 'session_id'
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
        default:
          return message satisfies never;
      }
    default:
      return message satisfies never;
  }
}
