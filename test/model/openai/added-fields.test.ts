import { describe, expect, it, test } from 'vitest';
import { createAccumulator } from '../../../src/model/accumulate.ts';
import { eachEvent } from '../../../src/model/each-event.ts';
import type { ApiMessage } from '../../../src/model/model.ts';
import { familyOf } from '../../../src/model/model-family.ts';
import { createChatRequestEncoder } from '../../../src/model/openai/openai-request.ts';
import { fail, sampleRequest, startFakeOpenAi } from '../../../src/testing/index.ts';
import type { JsonObject } from '../../../src/util/json.ts';
import { afterTest } from '../../support/after-test.ts';
import { call, delta, done, said, stop, stream } from '../openai-chunks.ts';
import { openAi } from '../support.ts';

const callsIn = (body: JsonObject = {}) =>
  (body.messages as JsonObject[]).flatMap(({ tool_calls }) => (tool_calls as JsonObject[]) ?? []);
const signed = { google: { thought_signature: 'c2lnbmVkIQ==' } };
const bash = (id: string, added: JsonObject = {}) => ({
  id,
  type: 'function',
  function: { name: 'Bash', arguments: '{"command":"a"}' },
  ...added,
});

function metadataIn(events: Awaited<ReturnType<typeof call>>): unknown[] {
  const accumulator = createAccumulator();
  return events.flatMap((event) => {
    const completed = event.type === 'event' ? accumulator.add(event.event) : null;
    return completed ? [completed.metadata] : [];
  });
}

describe('what a server adds', () => {
  test('[K47] to a call comes with the block of that call', async () => {
    const events = await call(
      stream(
        delta({ tool_calls: [{ index: 0, ...bash('t1', { extra_content: signed }) }] }),
        delta({ tool_calls: [{ index: 1, ...bash('t2') }] }),
        stop,
        done,
      ),
    );
    expect(metadataIn(events)).toEqual([
      { provider: expect.stringMatching(/^127\.0\.0\.1:/), family: 'claude-sonnet-4', call: { extra_content: signed } },
      undefined,
    ]);
  });

  test('[K47] to an answer comes with its last block, pieces of one item joined', async () => {
    const detail = (fields: JsonObject) => delta({ reasoning: 'x', reasoning_details: [{ index: 0, ...fields }] });
    const events = await call(
      stream(
        detail({ type: 'reasoning.text', text: 'I th', signature: null, format: 'f' }),
        detail({ type: 'reasoning.text', text: 'ink', signature: 'sig' }),
        delta({ reasoning_details: [{ type: 'reasoning.encrypted', data: 'ZW5j', index: 1 }] }),
        said('good'),
        stop,
        done,
      ),
    );
    expect(metadataIn(events)).toEqual([
      undefined,
      expect.objectContaining({
        answer: {
          reasoning_details: [
            { type: 'reasoning.text', text: 'I think', signature: 'sig', format: 'f', index: 0 },
            { type: 'reasoning.encrypted', data: 'ZW5j', index: 1 },
          ],
        },
      }),
    ]);
  });
});

describe('[K47] is sent back', () => {
  const message = (provider: string, family: string): ApiMessage => ({
    role: 'assistant',
    content: [{ type: 'tool_use', id: 't1', name: 'Bash', input: {} }],
    providerMetadata: {
      provider,
      family,
      calls: { t1: { extra_content: signed } },
      answer: { reasoning_details: [{ type: 'reasoning.encrypted', data: 'x' }] },
    },
  });
  const form = {
    limitField: 'max_tokens',
    asksForUsage: true,
    sendsThoughts: false,
    signsCalls: false,
    sendsImages: true,
  } as const;
  const encode = createChatRequestEncoder('gemini');
  const sent = (told: ApiMessage, model = 'gemini/gemini-3-pro-preview') =>
    JSON.parse(encode({ ...sampleRequest(), model, messages: [told] }, form)).messages.at(-1) as JsonObject;

  it('to the same provider and family', () => {
    expect(sent(message('gemini', 'gemini-3'))).toEqual({
      role: 'assistant',
      content: null,
      reasoning_details: [{ type: 'reasoning.encrypted', data: 'x' }],
      tool_calls: [{ id: 't1', type: 'function', function: { name: 'Bash', arguments: '{}' }, extra_content: signed }],
    });
  });

  it.each([
    ['another provider', message('openrouter', 'gemini-3'), undefined],
    ['another family', message('gemini', 'gemini-2'), undefined],
    ['another family, later in the session', message('gemini', 'gemini-3'), 'gemini/gemini-2.5-pro'],
  ])('not to %s', (_, told, model) => {
    expect(JSON.stringify(sent(told, model))).not.toMatch(/extra_content|reasoning_details/);
  });
});

test('[K47] a server that refuses calls without a signature gets the one that it accepts for foreign calls', async () => {
  const api = await startFakeOpenAi(({ body }) =>
    JSON.stringify(body).includes('skip_thought_signature_validator')
      ? 'Hello'
      : fail(400, 'INVALID_ARGUMENT', 'Function call is missing a thought_signature in functionCall parts.'),
  );
  afterTest(() => api.close());
  const model = openAi(api.url);
  const messages: ApiMessage[] = [
    ...sampleRequest().messages,
    {
      role: 'assistant',
      content: [
        { type: 'tool_use', id: 'a', name: 'Bash', input: {} },
        { type: 'tool_use', id: 'b', name: 'Bash', input: {} },
      ],
    },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'x' }] },
  ];
  const request = { ...sampleRequest(), messages };
  for (const requests of [2, 3]) {
    for await (const event of eachEvent(model.stream(request, new AbortController().signal))) {
      expect(event.type).not.toBe('failure');
    }
    expect(api.requests).toHaveLength(requests); // the refusal is remembered
  }
  const calls = callsIn(api.requests[1]?.body);
  expect(calls.map(({ extra_content }) => extra_content !== undefined)).toEqual([true, false]);
});

test.each([
  ['gemini-3-pro-preview', 'gemini-3'],
  ['anthropic/claude-sonnet-4.5', 'anthropic/claude-sonnet-4'],
  ['openai/gpt-5-mini', 'openai/gpt-5'],
  ['o3', 'o3'],
  ['Mistral-Large', 'mistral-large'],
])('the family of %s is %s', (name, family) => {
  expect(familyOf(name)).toBe(family);
});
