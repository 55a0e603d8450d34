import * as z from 'zod/mini';
import type { JsonObject } from '../../util/json.ts';
import type { ContentBlock } from '../api/content.ts';
import { open, type Schema } from '../schema.ts';
import { identity } from './common.ts';

/** An event of the model's stream, in the vocabulary of the Messages API, unchanged. Later versions may add kinds. */
export type RawStreamEvent =
  | (JsonObject & { type: 'message_start'; message: JsonObject & { id: string; model: string; role: 'assistant' } })
  | (JsonObject & { type: 'content_block_start'; index: number; content_block: ContentBlock })
  | (JsonObject & { type: 'content_block_delta'; index: number; delta: RawContentDelta })
  | (JsonObject & { type: 'content_block_stop'; index: number })
  | (JsonObject & {
      type: 'message_delta';
      delta: JsonObject & { stop_reason: string | null; stop_sequence: string | null };
      usage: JsonObject & { output_tokens: number };
    })
  | (JsonObject & { type: 'message_stop' });

export type RawContentDelta =
  | { type: 'text_delta'; text: string }
  | { type: 'input_json_delta'; partial_json: string }
  | { type: 'thinking_delta'; thinking: string }
  | { type: 'signature_delta'; signature: string }
  | { type: 'citations_delta'; citation: unknown };
const RawStreamEvent = open(() => ({ type: z.string() })) as unknown as Schema<RawStreamEvent>;

/** Printed only when the host asked for partial messages. */
export const StreamEventMessage = open(() => ({
  type: z.literal('stream_event'),
  /** The event as the model's API sent it. `textStream` of a run yields only the text of these events. */
  event: RawStreamEvent,
  /** The call that started the subagent whose answer this is; null on the main thread. */
  parent_tool_use_id: z.nullable(z.string()),
  ...identity,
  ttft_ms: z.optional(z.number()),
  api_message_id: z.optional(z.string()),
  /** The input messages that the answer belongs to; on the first event of each answer. */
  user_message_uuid: z.optional(z.string()),
  user_message_uuids: z.optional(z.array(z.string())),
  resume_reason: z.optional(z.string()),
}));
export type StreamEventMessage = z.infer<typeof StreamEventMessage>;
