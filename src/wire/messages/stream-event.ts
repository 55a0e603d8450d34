import * as z from 'zod/mini';
import type { JsonObject } from '../../util/json.ts';
import { open, type Schema } from '../schema.ts';
import { identity } from './common.ts';

/** An event of the model's stream in the vocabulary of the Messages API, as it came. */
export type RawStreamEvent = JsonObject & { type: string };
const RawStreamEvent = open(() => ({ type: z.string() })) as unknown as Schema<RawStreamEvent>;

/** Printed only when partial messages were asked for [FLD-39]. */
export const StreamEventMessage = open(() => ({
  type: z.literal('stream_event'),
  event: RawStreamEvent,
  parent_tool_use_id: z.nullable(z.string()),
  ...identity,
  ttft_ms: z.optional(z.number()),
  api_message_id: z.optional(z.string()),
}));
export type StreamEventMessage = z.infer<typeof StreamEventMessage>;
