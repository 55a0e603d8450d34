import { describe, expect, it } from 'vitest';
import { createAccumulator } from '../../src/model/accumulate.ts';
import { answerEvents } from '../../src/model/answer-events.ts';
import type { StreamEvent } from '../../src/model/model.ts';

function accumulate(...events: StreamEvent[]) {
  const accumulator = createAccumulator();
  const completed = events.flatMap((event) => accumulator.add(event) ?? []);
  return { accumulator, completed, blocks: completed.map(({ block }) => block) };
}

const start = (index: number, content_block: object): StreamEvent => ({
  type: 'content_block_start',
  index,
  content_block,
});
const delta = (index: number, value: object): StreamEvent => ({ type: 'content_block_delta', index, delta: value });
const stop = (index: number): StreamEvent => ({ type: 'content_block_stop', index });

describe('createAccumulator', () => {
  it('[SEQ-05] [SEQ-06] [FLD-15] rebuilds an answer from its events, each block at its stop', () => {
    const content = [
      { block: { type: 'thinking', thinking: 'hm', signature: 'c2ln' } },
      { block: { type: 'text', text: 'Hello' }, pieces: ['He', 'llo'] },
      {
        block: { type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'ls' } },
        pieces: ['{"comm', 'and":"ls"}'],
      },
    ];
    const { accumulator, blocks } = accumulate(
      ...answerEvents({
        id: 'm1',
        model: 'some-model',
        content,
        stopReason: 'tool_use',
        usage: { input_tokens: 3, cache_read_input_tokens: 5, output_tokens: 1 },
        finalUsage: { output_tokens: 9 },
      }),
    );
    expect(blocks).toEqual(content.map(({ block }) => block));
    expect(accumulator).toMatchObject({
      started: true,
      head: { id: 'm1', model: 'some-model', usage: { output_tokens: 1 } },
      usage: { input_tokens: 3, cache_read_input_tokens: 5, output_tokens: 9 },
      stopReason: 'tool_use',
      stopSequence: null,
    });
  });

  it('[FLD-40] keeps usage fields it does not know, and takes totals from later events', () => {
    const { accumulator } = accumulate(
      {
        type: 'message_start',
        message: {
          usage: { input_tokens: 10, service_tier: 'standard', cache_creation: { ephemeral_5m_input_tokens: 4 } },
        },
      },
      {
        type: 'message_delta',
        delta: {},
        usage: { input_tokens: 0, output_tokens: 7, iterations: [1], speed: 'fast' },
      },
    );
    expect(accumulator.usage).toEqual({
      input_tokens: 10,
      service_tier: 'standard',
      cache_creation: { ephemeral_5m_input_tokens: 4 },
      output_tokens: 7,
      iterations: [1],
      speed: 'fast',
    });
  });

  it.each([
    ['broken JSON', '{"command": "ls'],
    ['a scalar', '5'],
    ['a list', '[1]'],
    ['null', 'null'],
  ])('[M-10] flags the input of a tool call that is %s', (_, json) => {
    const { completed } = accumulate(
      start(0, { type: 'tool_use', id: 't1', name: 'Bash', input: {} }),
      delta(0, { type: 'input_json_delta', partial_json: json }),
      stop(0),
    );
    expect(completed).toEqual([{ block: { type: 'tool_use', id: 't1', name: 'Bash', input: {} }, invalidInput: json }]);
  });

  it('[M-10] takes an empty input as no arguments, and one that came with the start', () => {
    const { completed } = accumulate(
      start(0, { type: 'tool_use', id: 't1', name: 'Now', input: {} }),
      stop(0),
      start(1, { type: 'tool_use', id: 't2', name: 'Bash', input: { command: 'ls' } }),
      stop(1),
    );
    expect(completed.map(({ block }) => block.type === 'tool_use' && block.input)).toEqual([{}, { command: 'ls' }]);
    expect(completed.some(({ invalidInput }) => invalidInput !== undefined)).toBe(false);
  });

  it('[M-10] does not let keys of the prototype through as a prototype', () => {
    const { blocks } = accumulate(
      start(0, { type: 'tool_use', id: 't1', name: '__proto__', input: {} }),
      delta(0, { type: 'input_json_delta', partial_json: '{"__proto__":{"admin":true}}' }),
      stop(0),
    );
    const [block] = blocks;
    expect(block?.type === 'tool_use' && block.name).toBe('__proto__');
    expect(block?.type === 'tool_use' && block.input.admin).toBe(undefined);
  });

  it('[M-10] [M-15] makes a call without id or name answerable', () => {
    const { blocks } = accumulate(start(2, { type: 'tool_use', input: {} }), stop(2));
    expect(blocks).toEqual([{ type: 'tool_use', id: 'toolu_unnamed_2', name: 'unnamed_tool', input: {} }]);
  });

  it('[M-8] passes over what it does not know and keeps the good text', () => {
    const { accumulator, blocks } = accumulate(
      { type: 'brand_new_event', index: 0 },
      start(0, { type: 'text', text: '' }),
      delta(0, { type: 'text_delta', text: 'go' }),
      delta(0, { type: 'sparkle_delta', sparkle: '*' }),
      delta(0, { type: 'text_delta', text: 5 }),
      delta(9, { type: 'text_delta', text: 'lost' }),
      { type: 'content_block_delta' },
      stop(9),
      delta(0, { type: 'text_delta', text: 'od' }),
      stop(0),
      stop(0),
      { type: 'message_delta', delta: { stop_reason: 'brand_new_reason' } },
      { type: 'message_stop' },
    );
    expect(blocks).toEqual([{ type: 'text', text: 'good' }]);
    expect(accumulator.stopReason).toBe('brand_new_reason');
  });

  it('[FWD-01] passes blocks of unknown kinds through', () => {
    const { blocks } = accumulate(
      start(0, { type: 'server_tool_use', id: 's1', name: 'web_search', input: {} }),
      delta(0, { type: 'input_json_delta', partial_json: '{"query":"x"}' }),
      stop(0),
      start(1, { type: 'hologram', data: [1, 2] }),
      stop(1),
    );
    expect(blocks).toEqual([
      { type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: 'x' } },
      { type: 'hologram', data: [1, 2] },
    ]);
  });

  it('[M-8] completes a block whose stop never came', () => {
    const { blocks } = accumulate(
      start(0, { type: 'text', text: '' }),
      delta(0, { type: 'text_delta', text: 'kept' }),
      { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
      { type: 'message_stop' },
    );
    expect(blocks).toEqual([{ type: 'text', text: 'kept' }]);
  });

  it('keeps blocks apart that stream interleaved', () => {
    const { blocks } = accumulate(
      start(0, { type: 'text', text: '' }),
      start(1, { type: 'text', text: '' }),
      delta(1, { type: 'text_delta', text: 'b' }),
      delta(0, { type: 'text_delta', text: 'a' }),
      stop(1),
      stop(0),
    );
    expect(blocks).toEqual([
      { type: 'text', text: 'b' },
      { type: 'text', text: 'a' },
    ]);
  });
});
