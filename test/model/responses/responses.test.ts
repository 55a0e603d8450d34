import { describe, expect, it, test } from 'vitest';
import { eachEvent } from '../../../src/model/each-event.ts';
import type { ApiMessage, ModelEvent, ModelRequest } from '../../../src/model/model.ts';
import { createOpenAiApi, usualWire } from '../../../src/model/responses/openai-api.ts';
import {
  blocksOf,
  fail,
  modelCases,
  raw,
  reply,
  sampleRequest,
  text,
  thinking,
  toolUse,
} from '../../../src/testing/index.ts';
import type { Script } from '../../../src/testing/script.ts';
import type { JsonObject } from '../../../src/util/json.ts';
import { afterTest } from '../../support/after-test.ts';
import { itemsOfKind, startFakeResponses } from '../../support/fake-responses.ts';
import { failureOf, runtime } from '../support.ts';

const api = (baseUrl: string) =>
  createOpenAiApi({
    name: 'openai-responses',
    wire: 'responses',
    baseUrl,
    apiKey: 'sk-test-key',
    userAgent: 'heddle/0.0.0',
    timeoutMs: 5000,
    runtime,
  });

async function start(script: Script<never>) {
  const server = await startFakeResponses(script as Script<unknown>);
  afterTest(() => server.close());
  return server;
}

async function ask(model: ReturnType<typeof api>, request: Partial<ModelRequest> = {}): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of eachEvent(model.stream({ ...sampleRequest(), ...request }, new AbortController().signal)))
    events.push(event);
  return events;
}

describe('[P4] the contract of a model, with Responses', () => {
  for (const { name, run } of modelCases()) {
    it(name, () =>
      run(async (script) => {
        const server = await startFakeResponses(script);
        return { model: api(server.url), close: () => server.close() };
      }),
    );
  }
});

test('requests store nothing, ask for encrypted reasoning, and have the whole conversation', async () => {
  const server = await start(['Hello']);
  const messages: ApiMessage[] = [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Look' },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aW1n' } },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'I do' },
        { type: 'tool_use', id: 't1', name: 'Bash', input: { a: 1 } },
      ],
    },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'done', is_error: true }] },
  ];
  await ask(api(server.url), { model: 'openai-responses/gpt-5', messages, effort: 'high' });
  expect(server.requests[0]).toMatchObject({ url: '/v1/responses', headers: { authorization: 'Bearer sk-test-key' } });
  expect(server.requests[0]?.body).toEqual({
    model: 'gpt-5',
    stream: true,
    store: false,
    max_output_tokens: 1000,
    include: ['reasoning.encrypted_content'],
    reasoning: { effort: 'high', summary: 'auto' },
    instructions: 'Be brief.',
    tools: [
      {
        type: 'function',
        name: 'Bash',
        description: 'Runs a command.',
        parameters: { type: 'object', properties: {} },
        strict: false,
      },
    ],
    input: [
      {
        type: 'message',
        role: 'user',
        content: [
          { type: 'input_text', text: 'Look' },
          { type: 'input_image', image_url: 'data:image/png;base64,aW1n', detail: 'auto' },
        ],
      },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I do' }] },
      { type: 'function_call', call_id: 't1', name: 'Bash', arguments: '{"a":1}' },
      { type: 'function_call_output', call_id: 't1', output: 'The tool call failed:\ndone' },
    ],
  });
});

test('[K47] encrypted reasoning goes back as it came, to this API only', async () => {
  const server = await start([[thinking('', 'ZW5jMQ=='), toolUse('Bash', {}, 't1')], 'done']);
  const model = api(server.url);
  const content = blocksOf(await ask(model));
  expect(content[0]).toEqual({
    type: 'thinking',
    thinking: '',
    signature: 'ZW5jMQ==',
    provider: 'openai-responses responses',
    id: 'item_0',
  });
  const foreign = { type: 'thinking' as const, thinking: 'x', signature: 'c2ln' };
  const messages: ApiMessage[] = [
    ...sampleRequest().messages,
    { role: 'assistant', content: [foreign, ...content] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'ok' }] },
  ];
  await ask(model, { messages });
  const body = server.requests[1]?.body ?? {};
  expect(itemsOfKind(body, 'reasoning')).toEqual([
    { type: 'reasoning', id: 'item_0', summary: [], encrypted_content: 'ZW5jMQ==' },
  ]);
  expect((body.input as JsonObject[]).map(({ type }) => type)).toEqual([
    'message',
    'reasoning',
    'function_call',
    'function_call_output',
  ]);
});

describe('answers', () => {
  const sse = (...events: JsonObject[]) => raw(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));
  const stopOf = (events: ModelEvent[]) =>
    events.flatMap((event) =>
      event.type === 'event' && event.event.type === 'message_delta'
        ? [(event.event.delta as JsonObject).stop_reason]
        : [],
    );

  it('that reach the limit stop for it', async () => {
    const server = await start([reply([text('half')], { stopReason: 'max_tokens' })]);
    expect(stopOf(await ask(api(server.url)))).toEqual(['max_tokens']);
  });

  it('that refuse say so', async () => {
    const server = await start([
      sse(
        { type: 'response.refusal.delta', output_index: 0, delta: 'No.' },
        { type: 'response.completed', response: {} },
      ),
    ]);
    const events = await ask(api(server.url));
    expect(stopOf(events)).toEqual(['refusal']);
    expect(blocksOf(events)).toEqual([{ type: 'text', text: 'No.' }]);
  });

  it('whose items come whole lose nothing', async () => {
    const call = { type: 'function_call', call_id: 't1', name: 'Bash', arguments: '{"a":1}' };
    const server = await start([
      sse(
        { type: 'response.output_item.done', output_index: 0, item: call },
        { type: 'response.completed', response: {} },
      ),
    ]);
    expect(blocksOf(await ask(api(server.url)))).toEqual([
      { type: 'tool_use', id: 't1', name: 'Bash', input: { a: 1 } },
    ]);
  });

  it('whose summary has several parts keep them apart', async () => {
    const part = (type: string, delta?: string) => ({
      type: `response.reasoning_summary_${type}`,
      output_index: 0,
      item_id: 'r',
      ...(delta && { delta }),
    });
    const server = await start([
      sse(
        part('part.added'),
        part('text.delta', 'one'),
        part('part.added'),
        part('text.delta', 'two'),
        {
          type: 'response.output_item.done',
          output_index: 0,
          item: { type: 'reasoning', id: 'r', encrypted_content: 'e' },
        },
        { type: 'response.completed', response: {} },
      ),
    ]);
    expect(blocksOf(await ask(api(server.url)))[0]).toMatchObject({ thinking: 'one\n\ntwo', signature: 'e' });
  });

  it.each([
    [{ code: 'rate_limit_exceeded', message: 'slow' }, 'rate_limit'],
    [{ code: 'server_error', message: 'oops' }, 'server'],
    [{ code: 'context_length_exceeded', message: 'long' }, 'prompt_too_long'],
    [null, 'server'],
  ])('that fail with %j are a failure of their class', async (error, expected) => {
    const server = await start([
      sse({ type: 'response.created', response: {} }, { type: 'response.failed', response: { error } }),
    ]);
    expect(failureOf(await ask(api(server.url)))).toMatchObject({ class: expected });
  });
});

test('a model that takes no summary is asked without one, from then on', async () => {
  const server = await start((({ body }: { body: JsonObject }) =>
    JSON.stringify(body.reasoning ?? '').includes('summary')
      ? fail(
          400,
          'invalid_request_error',
          "Your organization must be verified to generate reasoning summaries. 'reasoning.summary'",
        )
      : 'Hello') as never);
  const model = api(server.url);
  await ask(model);
  expect(failureOf(await ask(model))).toBeUndefined();
  expect(server.requests).toHaveLength(3);
});

test.each([
  ['gpt-5-mini', 'api.openai.com', 'responses'],
  ['o3', 'api.openai.com', 'responses'],
  ['gpt-4.1', 'api.openai.com', 'chat'],
  ['gpt-5', 'gateway.example', 'chat'],
])('%s at %s is asked with %s', (model, host, wire) => {
  expect(usualWire(model, host)).toBe(wire);
});
