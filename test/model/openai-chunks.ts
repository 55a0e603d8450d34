import { expect } from 'vitest';
import { createAccumulator } from '../../src/model/accumulate.ts';
import type { ModelEvent } from '../../src/model/model.ts';
import { type AnswerLike, collectEvents, raw, startFakeOpenAi } from '../../src/testing/index.ts';
import type { JsonObject } from '../../src/util/json.ts';
import { afterTest } from '../support/after-test.ts';
import { openAi } from './support.ts';

/** What a model says to this answer of an OpenAI-compatible server. */
export async function call(answer: AnswerLike): Promise<ModelEvent[]> {
  const api = await startFakeOpenAi([answer]);
  afterTest(() => api.close());
  return collectEvents(openAi(api.url, { timeoutMs: 1000 }));
}

export const chunk = (fields: object) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', ...fields })}\n\n`;
export const delta = (fields: object | null, finish_reason: string | null = null) =>
  chunk({ choices: [{ index: 0, delta: fields, finish_reason }] });
export const said = (content: string) => delta({ content });
export const stop = delta({}, 'stop');
export const done = 'data: [DONE]\n\n';
export const counts = { prompt_tokens: 50, completion_tokens: 9, total_tokens: 59 };
export const stream = (...parts: string[]) => raw(parts.join(''));

/** A piece of a tool call. */
export const piece = (fields: { index?: number; id?: string; name?: string; args?: unknown }) => {
  const { index, id, name, args } = fields;
  return delta({
    tool_calls: [
      {
        ...(index !== undefined && { index }),
        ...(id !== undefined && { id, type: 'function' }),
        function: { ...(name !== undefined && { name }), ...(args !== undefined && { arguments: args }) },
      },
    ],
  });
};

export function summaryOf(events: readonly ModelEvent[]): { usage: JsonObject; stopReason: string | null } {
  const accumulator = createAccumulator();
  for (const event of events) if (event.type === 'event') accumulator.add(event.event);
  return { usage: accumulator.usage, stopReason: accumulator.stopReason };
}

/** Blocks open and close one after the other, with indexes that count up, as the Messages API does it. */
export function expectOrder(events: readonly ModelEvent[]): void {
  let open: unknown = null;
  let next = 0;
  for (const { type, index } of events.flatMap((event) => (event.type === 'event' ? [event.event] : []))) {
    if (type === 'content_block_start') {
      expect(open).toBeNull();
      expect(index).toBe(next++);
      open = index;
    }
    if (type === 'content_block_delta') expect(index).toBe(open);
    if (type === 'content_block_stop') {
      expect(index).toBe(open);
      open = null;
    }
  }
  expect(open).toBeNull();
}

export const good = [{ type: 'text', text: 'good' }];
export const use = (id: unknown, command: string) => ({ type: 'tool_use', id, name: 'Bash', input: { command } });
