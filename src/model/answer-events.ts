import type { JsonObject } from '../util/json.ts';
import type { StreamEvent } from './model.ts';

/** A finished answer that is to be emitted as the events in which the Messages API would have streamed it. */
export interface AnswerShape {
  id: string;
  model: string;
  content: readonly AnswerBlock[];
  stopReason: string | null;
  stopSequence?: string | null;
  /** The counts of `message_start`. */
  usage: JsonObject;
  /** The counts of `message_delta`; a provider repeats the counts that have changed. */
  finalUsage: JsonObject;
}

/** A content block, and the pieces in which its growing field is streamed (absent: in one). */
export interface AnswerBlock {
  block: JsonObject & { type: string };
  pieces?: readonly string[];
}

export function* answerEvents(answer: AnswerShape): Generator<StreamEvent, void> {
  yield {
    type: 'message_start',
    message: {
      id: answer.id,
      type: 'message',
      role: 'assistant',
      model: answer.model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: answer.usage,
    },
  };
  for (const [index, block] of answer.content.entries()) yield* blockEvents(index, block);
  yield {
    type: 'message_delta',
    delta: { stop_reason: answer.stopReason, stop_sequence: answer.stopSequence ?? null },
    usage: answer.finalUsage,
  };
  yield { type: 'message_stop' };
}

function* blockEvents(index: number, { block, pieces }: AnswerBlock): Generator<StreamEvent, void> {
  const { start, deltas } = split(block, pieces);
  yield { type: 'content_block_start', index, content_block: start };
  for (const delta of deltas) yield { type: 'content_block_delta', index, delta };
  yield { type: 'content_block_stop', index };
}

/** The block at its start, and the deltas that follow. Unknown kinds start complete. */
function split(block: JsonObject, pieces?: readonly string[]): { start: JsonObject; deltas: JsonObject[] } {
  switch (block.type) {
    case 'text':
      return {
        start: { ...block, text: '' },
        deltas: (pieces ?? [String(block.text ?? '')]).map((text) => ({ type: 'text_delta', text })),
      };
    case 'thinking':
      return {
        start: { ...block, thinking: '', signature: '' },
        deltas: [
          ...(pieces ?? [String(block.thinking ?? '')]).map((thinking) => ({ type: 'thinking_delta', thinking })),
          { type: 'signature_delta', signature: String(block.signature ?? '') },
        ],
      };
    case 'tool_use':
      return {
        start: { ...block, input: {} },
        deltas: (pieces ?? [JSON.stringify(block.input ?? {})]).map((partial_json) => ({
          type: 'input_json_delta',
          partial_json,
        })),
      };
    default:
      return { start: block, deltas: [] };
  }
}
