import { describe, expect, it } from 'vitest';
import type { FailureClass } from '../../../src/model/model.ts';
import { type AnswerLike, blocksOf, raw, reply, text } from '../../../src/testing/index.ts';
import type { JsonObject } from '../../../src/util/json.ts';
import {
  call,
  chunk,
  counts,
  delta,
  done,
  expectOrder,
  good,
  said,
  stop,
  stream,
  summaryOf,
} from '../openai-chunks.ts';
import { failureOf, typesOf } from '../support.ts';

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
