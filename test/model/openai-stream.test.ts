import { afterEach, describe, expect, it } from 'vitest';
import { createAccumulator } from '../../src/model/accumulate.ts';
import type { FailureClass, ModelEvent } from '../../src/model/model.ts';
import {
  type AnswerLike,
  blocksOf,
  collectEvents,
  type FakeApi,
  raw,
  reply,
  startFakeOpenAi,
  text,
} from '../../src/testing/index.ts';
import type { JsonObject } from '../../src/util/json.ts';
import { failureOf, openAi, typesOf } from './support.ts';

const apis: FakeApi[] = [];
afterEach(async () => {
  await Promise.all(apis.splice(0).map((api) => api.close()));
});

async function call(answer: AnswerLike): Promise<ModelEvent[]> {
  const api = await startFakeOpenAi([answer]);
  apis.push(api);
  return collectEvents(openAi(api.url, { timeoutMs: 1000 }));
}

const chunk = (fields: object) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', ...fields })}\n\n`;
const delta = (fields: object | null, finish_reason: string | null = null) =>
  chunk({ choices: [{ index: 0, delta: fields, finish_reason }] });
const said = (content: string) => delta({ content });
const stop = delta({}, 'stop');
const done = 'data: [DONE]\n\n';
const counts = { prompt_tokens: 50, completion_tokens: 9, total_tokens: 59 };
const stream = (...parts: string[]) => raw(parts.join(''));

/** A piece of a tool call. */
const piece = (fields: { index?: number; id?: string; name?: string; args?: unknown }) => {
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

function summaryOf(events: readonly ModelEvent[]): { usage: JsonObject; stopReason: string | null } {
  const accumulator = createAccumulator();
  for (const event of events) if (event.type === 'event') accumulator.add(event.event);
  return { usage: accumulator.usage, stopReason: accumulator.stopReason };
}

/** Blocks open and close one after the other, with indexes that count up, as the Messages API does it. */
function expectOrder(events: readonly ModelEvent[]): void {
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

const good = [{ type: 'text', text: 'good' }];
const use = (id: unknown, command: string) => ({ type: 'tool_use', id, name: 'Bash', input: { command } });

describe('texts', () => {
  it.each<[string, AnswerLike]>([
    ['[M-8] [DONE] at the end', stream(said('go'), said('od'), stop, done)],
    ['[M-8] no [DONE]', stream(said('good'), stop)],
    ['[M-8] [DONE] without a finish reason', stream(said('good'), done)],
    ['[M-8] counts and then nothing', stream(said('good'), stop, chunk({ choices: [], usage: counts }))],
    ['[M-8] one byte at a time', raw(said('good') + stop + done, { chunkBytes: 1 })],
    ['[M-8] CRLF line ends', raw((said('good') + stop + done).replaceAll('\n', '\r\n'))],
    [
      'comments of OpenRouter',
      stream(': OPENROUTER PROCESSING\n\n', ': OPENROUTER PROCESSING\n\n', said('good'), stop, done),
    ],
    ['a filter report before the first choice (Azure)', stream(chunk({ choices: [] }), said('good'), stop, done)],
    [
      'empty and null deltas',
      stream(delta({ content: '' }), delta(null), said('good'), delta({ content: null }, 'stop')),
    ],
    ['content in parts', stream(delta({ content: [{ type: 'text', text: 'good' }] }), stop, done)],
    ['the last piece beside the finish reason (vLLM)', stream(said('go'), delta({ content: 'od' }, 'stop'), done)],
    [
      'several choices',
      stream(
        chunk({
          choices: [
            { index: 1, delta: { content: 'bad' } },
            { index: 0, delta: { content: 'good' } },
          ],
        }),
        chunk({ choices: [{ index: 1, delta: { content: 'bad' }, finish_reason: 'stop' }] }),
        stop,
        done,
      ),
    ],
    ['unknown events', stream('data: {"type":"ping"}\n\n', 'data: hello\n\n', said('good'), stop, done)],
    ['blanks around nothing', stream(said('\n\n'), delta({ reasoning: ' ' }), said('good'), stop, done)],
    [
      '[M-9] JSON instead of a stream',
      raw(JSON.stringify({ choices: [{ message: { role: 'assistant', content: 'good' }, finish_reason: 'stop' }] })),
    ],
  ])('are taken from a stream with %s', async (_, answer) => {
    const events = await call(answer);
    expect(blocksOf(events)).toEqual(good);
    expect(typesOf(events).filter((type) => type === 'message_stop').length).toBe(1);
    expect(summaryOf(events).stopReason).toBe('end_turn');
    expectOrder(events);
  });

  it('keep blanks before and inside of them', async () => {
    expect(blocksOf(await call(stream(said('\n'), said(' a'), said(' '), said('b\n'), stop, done)))).toEqual([
      { type: 'text', text: '\n a b\n' },
    ]);
  });

  it('name the model as we do, and ids are our own', async () => {
    const heads = [];
    for (let time = 0; time < 2; time++) {
      const start = (await call(stream(said('good'), stop, done))).find(({ type }) => type === 'event');
      heads.push(start?.type === 'event' ? (start.event.message as JsonObject) : {});
    }
    expect(heads[0]).toMatchObject({ model: 'claude-sonnet-4-5-20250929', role: 'assistant' });
    expect(heads[0]?.id).not.toBe(heads[1]?.id);
  });
});

describe('thoughts', () => {
  it.each<[string, string[]]>([
    ['reasoning_content', [delta({ reasoning_content: 'hm, ' }), delta({ reasoning_content: 'well' }), said('good')]],
    ['reasoning (Ollama)', [delta({ content: '', reasoning: 'hm, ' }), delta({ reasoning: 'well' }), said('good')]],
    ['both at once', [delta({ reasoning: 'hm, well', reasoning_content: 'hm, well', content: 'good' })]],
    [
      'parts (Mistral)',
      [delta({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'hm, well' }] }] }), said('good')],
    ],
    [
      'pieces with blanks between',
      [delta({ reasoning: 'hm, ' }), said('\n'), delta({ reasoning: 'well' }), said('good')],
    ],
  ])('are told from %s, and whose they are', async (_, parts) => {
    const events = await call(stream(...parts, stop, done));
    expect(blocksOf(events)).toEqual([
      { type: 'thinking', thinking: 'hm, well', signature: '', provider: 'openai' },
      ...good,
    ]);
    expectOrder(events);
  });
});

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

describe('stop reasons', () => {
  it.each([
    ['stop', 'end_turn'],
    ['length', 'max_tokens'],
    ['content_filter', 'refusal'],
    ['tool_calls', 'end_turn'],
    ['something_new', 'end_turn'],
  ])('%s is %s', async (reason, expected) => {
    expect(summaryOf(await call(stream(said('x'), delta({}, reason), done))).stopReason).toBe(expected);
  });

  it('a refusal in words is one', async () => {
    const events = await call(stream(delta({ refusal: 'I will not.' }), stop, done));
    expect(summaryOf(events).stopReason).toBe('refusal');
    expect(blocksOf(events)).toEqual([{ type: 'text', text: 'I will not.' }]);
  });
});

describe('usage', () => {
  const cached = { ...counts, prompt_tokens_details: { cached_tokens: 40 } };
  it.each<[string, string[], [input: number, cached: number, output: number]]>([
    ['in a chunk of its own', [stop, chunk({ choices: [], usage: counts })], [50, 0, 9]],
    ['before the finish reason', [chunk({ choices: [], usage: counts }), stop], [50, 0, 9]],
    [
      'beside the finish reason',
      [chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage: counts })],
      [50, 0, 9],
    ],
    [
      'in the choice (Moonshot)',
      [chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop', usage: { ...counts, cached_tokens: 30 } }] })],
      [20, 30, 9],
    ],
    [
      'under x_groq',
      [chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], x_groq: { usage: counts } })],
      [50, 0, 9],
    ],
    ['with tokens from the cache', [stop, chunk({ choices: [], usage: cached })], [10, 40, 9]],
    [
      'with everything from the cache',
      [stop, chunk({ choices: [], usage: { ...counts, prompt_tokens_details: { cached_tokens: 50 } } })],
      [0, 50, 9],
    ],
    [
      'with DeepSeek’s name for the cache',
      [stop, chunk({ choices: [], usage: { ...counts, prompt_cache_hit_tokens: 5 } })],
      [45, 5, 9],
    ],
    [
      'in every chunk, growing (vLLM)',
      [
        chunk({ choices: [{ index: 0, delta: {} }], usage: { prompt_tokens: 50, completion_tokens: 1 } }),
        chunk({
          choices: [{ index: 0, delta: {}, finish_reason: 'stop' }],
          usage: { prompt_tokens: 50, completion_tokens: 8 },
        }),
        chunk({ choices: [], usage: counts }),
      ],
      [50, 0, 9],
    ],
  ])('is read %s', async (_, parts, [input, fromCache, output]) => {
    expect(summaryOf(await call(stream(said('good'), ...parts, done))).usage).toEqual({
      input_tokens: input,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: fromCache,
      output_tokens: output,
    });
  });

  it.each([
    ['never told', stop],
    ['told as null', chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage: null })],
    ['told as zeros', stop + chunk({ choices: [], usage: { prompt_tokens: 0, completion_tokens: 0 } })],
  ])('is estimated when it is %s', async (_, last) => {
    const { usage } = summaryOf(await call(stream(said('x'.repeat(400)), last, done)));
    expect(usage).toMatchObject({ output_tokens: 100, cache_read_input_tokens: 0 });
    expect(usage.input_tokens).toBeGreaterThan(20);
    expect(usage.input_tokens).toBeLessThan(200);
  });
});

describe('faults in the middle', () => {
  it.each<[string, AnswerLike, FailureClass]>([
    ['[M-5] an end without a finish reason', stream(said('go')), 'connection'],
    ['[M-5] a cut inside a chunk', reply([text('x')], { fault: { after: { bytes: 200 }, how: 'cut' } }), 'connection'],
    ['[M-9] an empty body', stream(''), 'connection'],
    ['[M-9] nothing but [DONE]', stream(done), 'malformed'],
    ['[M-9] JSON without choices', raw('{"hello":1}'), 'malformed'],
    ['[M-9] a web page', raw('<html><body>Sign in</body></html>'), 'malformed'],
    ['[M-8] an unreadable chunk', stream(said('go'), 'data: {"choices":[{\n\n', stop, done), 'malformed'],
    ['an error object', stream(said('go'), 'data: {"error":{"message":"boom","type":"server_error"}}\n\n'), 'server'],
    ['an error text', stream(said('go'), 'data: {"error":"boom"}\n\n'), 'server'],
    ['an error event', stream(said('go'), 'event: error\ndata: {"message":"boom"}\n\n'), 'server'],
    [
      'an error with a status for its code (OpenRouter)',
      stream(
        said('go'),
        chunk({
          error: { code: 429, message: 'slow down' },
          choices: [{ index: 0, delta: { content: '' }, finish_reason: 'error' }],
        }),
      ),
      'rate_limit',
    ],
    [
      'an error in the choice',
      stream(said('go'), chunk({ choices: [{ index: 0, delta: {}, error: { code: 502, message: 'bad gateway' } }] })),
      'server',
    ],
    ['an error without words', stream(said('go'), delta({}, 'error'), done), 'server'],
    [
      'an error without a wrapping (vLLM)',
      stream('data: {"object":"error","message":"no","type":"BadRequestError","code":400}\n\n'),
      'invalid_request',
    ],
    [
      '[M-13] a prompt too long, found out late',
      stream(
        'data: {"error":{"message":"This model\'s maximum context length is 1024 tokens.","type":"BadRequestError","code":400}}\n\n',
      ),
      'prompt_too_long',
    ],
    [
      '[M-6] nothing but keep-alives',
      reply([text('x')], { fault: { after: { block: 0 }, how: { pings: { everyMs: 50 } } } }),
      'timeout',
    ],
  ])('are told by class: %s', async (_, answer, expected) => {
    const events = await call(answer);
    expect(failureOf(events)?.class).toBe(expected);
    expect(events.filter(({ type }) => type === 'failure').length).toBe(1);
    expect(typesOf(events)).not.toContain('message_stop');
  });
});
