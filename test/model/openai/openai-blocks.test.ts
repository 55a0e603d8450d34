import { describe, expect, it } from 'vitest';
import { blocksOf, raw } from '../../../src/testing/index.ts';
import type { JsonObject } from '../../../src/util/json.ts';
import {
  call,
  counts,
  delta,
  done,
  expectOrder,
  good,
  piece,
  said,
  stop,
  stream,
  summaryOf,
  use,
} from '../openai-chunks.ts';

describe('calls', () => {
  const a = JSON.stringify({ command: 'a' });
  const b = JSON.stringify({ command: 'b' });

  it.each<[string, string[], unknown[]]>([
    [
      'in fragments, one after the other',
      [
        piece({ index: 0, id: 't1', name: 'Bash', args: '' }),
        ...[...a].map((args) => piece({ index: 0, args })),
        piece({ index: 1, id: 't2', name: 'Bash', args: '' }),
        ...[...b].map((args) => piece({ index: 1, args })),
      ],
      [use('t1', 'a'), use('t2', 'b')],
    ],
    [
      'in fragments, mixed',
      [
        piece({ index: 0, id: 't1', name: 'Bash', args: '{"comm' }),
        piece({ index: 1, id: 't2', name: 'Bash', args: '{' }),
        piece({ index: 0, args: 'and":"a"}' }),
        piece({ index: 1, args: '"command":"b"}' }),
      ],
      [use('t1', 'a'), use('t2', 'b')],
    ],
    [
      'whole, in one chunk',
      [
        delta({
          tool_calls: [
            { index: 0, id: 't1', function: { name: 'Bash', arguments: a } },
            { index: 1, id: 't2', function: { name: 'Bash', arguments: b } },
          ],
        }),
      ],
      [use('t1', 'a'), use('t2', 'b')],
    ],
    [
      'whole, without an index',
      [piece({ id: 't1', name: 'Bash', args: a }), piece({ id: 't2', name: 'Bash', args: b })],
      [use('t1', 'a'), use('t2', 'b')],
    ],
    [
      'whole, all with the index 0',
      [piece({ index: 0, id: 't1', name: 'Bash', args: a }), piece({ index: 0, id: 't2', name: 'Bash', args: b })],
      [use('t1', 'a'), use('t2', 'b')],
    ],
    [
      'without ids',
      [piece({ index: 0, name: 'Bash', args: a }), piece({ index: 1, name: 'Bash', args: b })],
      [use(expect.stringMatching(/^call_\w{32}$/), 'a'), use(expect.stringMatching(/^call_\w{32}$/), 'b')],
    ],
    [
      'with the same id twice',
      [piece({ index: 0, id: 't', name: 'Bash', args: a }), piece({ index: 1, id: 't', name: 'Bash', args: b })],
      [use('t', 'a'), use(expect.stringMatching(/^call_/), 'b')],
    ],
    [
      'with id and name in every fragment',
      [
        piece({ index: 0, id: 't1', name: 'Bash', args: a.slice(0, 5) }),
        piece({ index: 0, id: 't1', name: 'Bash', args: a.slice(5) }),
      ],
      [use('t1', 'a')],
    ],
    [
      'with a new id in every fragment',
      [piece({ index: 0, id: 'x', name: 'Bash', args: a.slice(0, 5) }), piece({ index: 0, id: 'y', args: a.slice(5) })],
      [use('x', 'a')],
    ],
    [
      'with the name after the id',
      [piece({ index: 0, id: 't1' }), piece({ index: 0, name: 'Bash' }), piece({ index: 0, args: a })],
      [use('t1', 'a')],
    ],
    [
      'with arguments as an object',
      [piece({ index: 0, id: 't1', name: 'Bash', args: { command: 'a' } })],
      [use('t1', 'a')],
    ],
    [
      'as function_call',
      [delta({ function_call: { name: 'Bash', arguments: '' } }), delta({ function_call: { arguments: a } })],
      [use(expect.stringMatching(/^call_/), 'a')],
    ],
    [
      'after a text, with blanks between',
      [said('good'), piece({ index: 0, id: 't1', name: 'Bash', args: a }), said('\n')],
      [...good, use('t1', 'a')],
    ],
    ['before a text', [piece({ index: 0, id: 't1', name: 'Bash', args: a }), said('good')], [use('t1', 'a'), ...good]],
    [
      'without arguments',
      [piece({ index: 0, id: 't1', name: 'Bash' }), piece({ index: 1, id: 't2', name: 'Bash', args: b })],
      [{ type: 'tool_use', id: 't1', name: 'Bash', input: {} }, use('t2', 'b')],
    ],
  ])('are told that come %s', async (_, pieces, blocks) => {
    for (const reason of ['tool_calls', 'stop']) {
      const events = await call(
        stream(delta({ role: 'assistant', tool_calls: null }), ...pieces, delta({}, reason), done),
      );
      expect(blocksOf(events)).toEqual(blocks);
      expect(summaryOf(events).stopReason).toBe('tool_use');
      expectOrder(events);
    }
  });

  it('are streamed as they grow, also the second one', async () => {
    const events = await call(
      stream(
        piece({ index: 0, id: 't1', name: 'Bash', args: a }),
        piece({ index: 1, id: 't2', name: 'Bash', args: '' }),
        piece({ index: 1, args: b.slice(0, 3) }),
        piece({ index: 1, args: b.slice(3) }),
        stop,
        done,
      ),
    );
    const deltas = events.flatMap((event) =>
      event.type === 'event' && event.event.type === 'content_block_delta' ? [event.event.delta as JsonObject] : [],
    );
    expect(deltas.map(({ partial_json }) => partial_json)).toEqual([a, b.slice(0, 3), b.slice(3)]);
  });

  it('[M-10] with broken arguments reach the accumulator as they are', async () => {
    const events = await call(stream(piece({ index: 0, id: 't1', name: 'Bash', args: '{"comm' }), stop, done));
    expect(blocksOf(events)).toEqual([{ type: 'tool_use', id: 't1', name: 'Bash', input: {} }]);
  });

  it('are told from an answer that was not streamed', async () => {
    const message = {
      content: null,
      reasoning_content: 'hm',
      tool_calls: [
        { id: 't1', type: 'function', function: { name: 'Bash', arguments: a } },
        { id: 't2', type: 'function', function: { name: 'Bash', arguments: b } },
      ],
    };
    const events = await call(
      raw(JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'tool_calls' }], usage: counts })),
    );
    expect(blocksOf(events)).toMatchObject([{ type: 'thinking', thinking: 'hm' }, use('t1', 'a'), use('t2', 'b')]);
    expect(summaryOf(events)).toMatchObject({ stopReason: 'tool_use', usage: { input_tokens: 50, output_tokens: 9 } });
  });
});
