import { afterEach, describe, expect, it } from 'vitest';
import type { FailureClass } from '../../src/model/model.ts';
import {
  type AnswerLike,
  blocksOf,
  brokenToolUse,
  collectEvents,
  type FakeApi,
  fail,
  hang,
  raw,
  reply,
  sseText,
  startFakeApi,
  text,
} from '../../src/testing/index.ts';
import { anthropic, failureOf, typesOf } from './support.ts';

const apis: FakeApi[] = [];
afterEach(async () => {
  await Promise.all(apis.splice(0).map((api) => api.close()));
});

async function call(answer: AnswerLike, options: Parameters<typeof anthropic>[1] = {}) {
  const api = await startFakeApi([answer]);
  apis.push(api);
  return collectEvents(anthropic(api.url, options));
}

const stream = (...parts: string[]) => parts.join('');
const begin = sseText({ type: 'message_start', message: { id: 'm', model: 'x', usage: {} } });
const block = (value: string) =>
  stream(
    sseText({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
    sseText({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: value } }),
    sseText({ type: 'content_block_stop', index: 0 }),
  );
const finish = sseText({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 3 } });
const end = sseText({ type: 'message_stop' });
const message = {
  id: 'm1',
  type: 'message',
  role: 'assistant',
  model: 'x',
  content: [{ type: 'text', text: 'good' }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 1, output_tokens: 2 },
};
const page = '<!doctype html><html><body><h1>Bad gateway</h1></body></html>';
const json = { 'content-type': 'application/json' };
const html = { 'content-type': 'text/html' };

describe('answers that are not quite right but whole', () => {
  it.each<[string, AnswerLike]>([
    ['[M-8] CRLF line ends', raw(stream(begin, block('good'), finish, end).replaceAll('\n', '\r\n'))],
    ['[M-8] one byte at a time', raw(stream(begin, block('good'), finish, end), { chunkBytes: 1 })],
    [
      '[M-8] unknown events and comments',
      raw(stream(': hi\n\n', begin, 'event: new\ndata: {"type":"new"}\n\n', block('good'), finish, end)),
    ],
    ['[M-8] junk that carries nothing', raw(stream(begin, 'data: [DONE]\n\nnonsense\n\n', block('good'), finish, end))],
    ['[M-8] events without names', raw(stream(begin, block('good'), finish, end).replace(/^event: .*\n/gm, ''))],
    ['[M-8] no message_stop', raw(stream(begin, block('good'), finish))],
    ['[M-8] anything after message_stop', raw(stream(begin, block('good'), finish, end, 'event: error\ndata: {}\n\n'))],
    ['[M-9] a wrong content type', raw(stream(begin, block('good'), finish, end), { headers: html })],
    ['[M-9] JSON instead of a stream', raw(JSON.stringify(message), { headers: json })],
    ['[M-9] JSON that claims to be a stream', raw(` \n${JSON.stringify(message)}`)],
  ])('are taken: %s', async (_, answer) => {
    const events = await call(answer);
    expect(blocksOf(events)).toEqual([{ type: 'text', text: 'good' }]);
    expect(typesOf(events).at(-1)).toBe('message_stop');
    expect(typesOf(events).filter((type) => type === 'message_stop').length).toBe(1);
  });

  it('[M-7] are not cut off when they are slow but alive', async () => {
    const events = await call(reply([text('g', 'o', 'o', 'd')], { deltaMs: 150 }), { timeoutMs: 450 });
    expect(blocksOf(events)).toEqual([{ type: 'text', text: 'good' }]);
  });

  it('[M-8] keep the text of an event that spans lines on one line', async () => {
    const events = await call(raw('data: {"type":\ndata: "message_stop"}\n\n'));
    expect(events.at(-1)).toEqual({ type: 'event', event: { type: 'message_stop' }, raw: '{"type":"message_stop"}' });
  });

  it('[M-10] pass a broken tool input on to the accumulator', async () => {
    const events = await call(brokenToolUse('Bash', ['{"command": ']));
    expect(blocksOf(events)).toMatchObject([{ type: 'tool_use', name: 'Bash', input: {} }]);
  });
});

describe('faults', () => {
  it.each<[string, AnswerLike, FailureClass]>([
    ['[M-1] status 408', fail(408, 'timeout_error', 'late'), 'server'],
    ['[M-1] status 409', fail(409, 'conflict', 'busy'), 'server'],
    ['[M-1] status 503 with a page', raw(page, { status: 503, headers: html }), 'server'],
    ['[M-1] a page with status 200', raw(page, { headers: html }), 'malformed'],
    ['[M-1] status 402', fail(402, 'billing_error', 'pay'), 'billing'],
    ['[M-13] status 413', fail(413, 'request_too_large', 'big'), 'prompt_too_long'],
    [
      '[M-13] input and max_tokens beyond the window',
      fail(400, 'invalid_request_error', 'input length and `max_tokens` exceed context limit: 199000 + 32000 > 200000'),
      'prompt_too_long',
    ],
    [
      '[M-5] a cut before the first byte',
      reply([text('x')], { fault: { after: { bytes: 0 }, how: 'cut' } }),
      'connection',
    ],
    ['[M-5] a cut inside an event', reply([text('x')], { fault: { after: { bytes: 400 }, how: 'cut' } }), 'connection'],
    ['[M-5] a clean end in the middle of a text', raw(stream(begin, block('x'))), 'connection'],
    ['[M-9] an empty body', raw(''), 'connection'],
    ['[M-9] JSON that is no message', raw('{"hello":1}', { headers: json }), 'malformed'],
    ['[M-9] half a JSON message', raw('{"content":[', { headers: json }), 'malformed'],
    [
      '[M-9] an error as JSON with status 200',
      raw('{"error":{"type":"overloaded_error","message":"o"}}'),
      'overloaded',
    ],
    ['[M-8] an unreadable delta', raw(stream(begin, 'event: content_block_delta\ndata: {"ty\n\n', end)), 'malformed'],
    ['[M-8] an error event without words', raw(stream(begin, 'event: error\ndata: oops\n\n')), 'server'],
    [
      '[M-8] an error event with a name of the prototype',
      raw('data: {"type":"error","error":{"type":"constructor","message":"x"}}\n\n'),
      'server',
    ],
    ['[M-6] silence before the head', hang(), 'timeout'],
    ['[M-6] silence after the head', reply([], { fault: { after: { events: 0 }, how: 'hang' } }), 'timeout'],
    [
      '[M-6] silence in the middle of a text',
      reply([text('x')], { fault: { after: { block: 0 }, how: 'hang' } }),
      'timeout',
    ],
    [
      '[M-6] nothing but pings',
      reply([text('x')], { fault: { after: { block: 0 }, how: { pings: { everyMs: 20 } } } }),
      'timeout',
    ],
    [
      '[M-6] silence in the middle of an error body',
      raw(Buffer.alloc(0), { status: 500, headers: { 'content-length': '10' } }),
      'timeout',
    ],
  ])('are told by class: %s', async (_, answer, expected) => {
    const events = await call(answer, { timeoutMs: 150 });
    expect(failureOf(events)?.class).toBe(expected);
    expect(events.filter(({ type }) => type === 'failure').length).toBe(1);
    expect(typesOf(events)).not.toContain('message_stop');
  });

  it('[M-1] refused connections name the host', async () => {
    const api = await startFakeApi([]);
    await api.close();
    const events = await collectEvents(anthropic(api.url));
    expect(failureOf(events)).toMatchObject({
      class: 'connection',
      message: expect.stringContaining(new URL(api.url).host),
    });
    expect(events.length).toBe(1);
  });

  it('carry what the provider said', async () => {
    expect(failureOf(await call(fail(429, 'rate_limit_error', 'slow down', { 'retry-after': '2' })))).toEqual({
      class: 'rate_limit',
      message: 'slow down',
      status: 429,
      requestId: 'req_fake_1',
      providerType: 'rate_limit_error',
      body: '{"type":"error","error":{"type":"rate_limit_error","message":"slow down"}}',
      retryAfterMs: 2000,
    });
  });

  it('[M-2] read retry-after as a date and in milliseconds too', async () => {
    const date = new Date(Date.now() + 30_000).toUTCString();
    const wait = failureOf(await call(fail(429, 'x', 'y', { 'retry-after': date })))?.retryAfterMs ?? 0;
    expect(wait).toBeGreaterThan(25_000);
    expect(wait).toBeLessThanOrEqual(30_000);
    expect(failureOf(await call(fail(429, 'x', 'y', { 'retry-after-ms': '1500' })))?.retryAfterMs).toBe(1500);
    expect(failureOf(await call(fail(429, 'x', 'y', { 'retry-after': '0' })))?.retryAfterMs).toBeUndefined();
  });

  it('bound the body that is kept', async () => {
    const failure = failureOf(await call(raw('x'.repeat(300_000), { status: 500 })));
    expect(failure?.body?.length).toBe(64 * 1024);
    expect(failure?.message.length).toBeLessThan(400);
  });

  it('[R-16] never show the key, even when the far end echoes it', async () => {
    const events = await call(fail(401, 'authentication_error', 'bad key sk-test-key'));
    expect(JSON.stringify(events)).not.toContain('sk-test-key');
    expect(failureOf(events)?.message).toBe('bad key ***');
  });

  it('[R-16] name a key that cannot be sent without showing it', async () => {
    const failure = failureOf(await call('Hello', { apiKey: 'sk\u0000secret' }));
    expect(failure?.class).toBe('invalid_request');
    expect(failure?.message).not.toContain('secret');
  });
});
