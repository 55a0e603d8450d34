import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { context, SpanStatusCode, trace } from '@opentelemetry/api';
import { describe, expect, test, vi } from 'vitest';
import type { ModelEvent } from '../../../src/model/model.ts';
import { createMemoryStore } from '../../../src/sessions/stores/memory-store.ts';
import { fail, hang, text, toolUse } from '../../../src/testing/script.ts';
import { scriptedModel } from '../../../src/testing/scripted-model.ts';
import { collectSpans } from '../../support/spans.ts';
import { createHouse } from '../support.ts';

const spans = collectSpans();
const ON = { telemetry: true } as const;
const CANARY = 'canary-in-a-coal-mine';

describe('spans end, whatever comes', () => {
  test('a failed model call', async () => {
    await createHouse([fail(400, 'invalid_request_error', CANARY)], ON)
      .connect({ model: 'm' })
      .ask('go');
    expect(spans.tree()).toEqual(['invoke_agent heddle', '  chat m']);
    expect(spans.named('chat')).toMatchObject({
      status: { code: SpanStatusCode.ERROR },
      attributes: { 'error.type': 'invalid_request', 'http.response.status_code': 400 },
    });
    expect(spans.named('invoke_agent')).toMatchObject({
      status: { code: SpanStatusCode.ERROR },
      attributes: { 'error.type': 'invalid_request' },
    });
  });

  test('a retry is an event of its call, and what the dead attempt had said is not told', async () => {
    const inner = scriptedModel(['Hello.']);
    const failure = { class: 'overloaded' as const, message: CANARY, status: 529 };
    const model = {
      provider: 'flaky',
      async *stream(...[request, signal]: Parameters<typeof inner.stream>) {
        const raw = {
          type: 'message_start',
          message: { id: 'dead', model: 'm', usage: { input_tokens: 9, output_tokens: 9 } },
        };
        yield { type: 'event', event: raw, raw: JSON.stringify(raw) } as ModelEvent;
        yield { type: 'retry', attempt: 1, maxRetries: 2, delayMs: 0, failure } as ModelEvent;
        yield* inner.stream(request, signal);
      },
    };
    await createHouse([], { ...ON, model })
      .connect({ model: 'm' })
      .ask('go');
    const { events, attributes } = spans.named('chat');
    expect(events.map(({ name, attributes: facts }) => [name, facts])).toEqual([
      ['retry', { 'error.type': 'overloaded', 'http.response.status_code': 529, 'heddle.retry.attempt': 1 }],
    ]);
    expect(attributes['gen_ai.response.id']).toMatch(/^msg_/);
    expect(attributes['gen_ai.usage.input_tokens']).not.toBe(9);
    expect(attributes).not.toHaveProperty('error.type');
  });

  test('an interrupt while the model answers', async () => {
    const asked = createHouse([hang()], ON);
    const client = asked.connect({ model: 'm' });
    client.say('go');
    await client.until(() => asked.model.requests.length === 1);
    await client.control({ subtype: 'interrupt' });
    await client.result(0);
    expect(spans.tree()).toEqual(['invoke_agent heddle', '  chat m']);
    expect(spans.named('chat').attributes).toMatchObject({ 'error.type': 'aborted' });
    expect(spans.named('invoke_agent').attributes).toMatchObject({ 'error.type': 'aborted_streaming' });
  });

  test('an interrupt while a tool runs', async () => {
    const house = createHouse([toolUse('Bash', { command: 'touch begun; sleep 30' })], ON);
    const client = house.connect({ model: 'm', allowedTools: ['Bash'] });
    client.say('go');
    await vi.waitFor(() => expect(existsSync(join(house.dir, 'begun'))).toBe(true), 5000);
    await client.control({ subtype: 'interrupt' });
    await client.result(0);
    expect(spans.named('invoke_agent').attributes).toMatchObject({ 'error.type': 'aborted_tools' });
    expect(spans.named('execute_tool').attributes).toMatchObject({ 'error.type': 'aborted' });
  });

  test('a store that breaks in the middle of an answer: the call is left', async () => {
    const store = createMemoryStore();
    const append = store.append.bind(store);
    store.append = async (key, entries) => {
      if (entries.some(({ type }) => type === 'assistant')) throw new Error(CANARY);
      return append(key, entries);
    };
    const inner = scriptedModel([[text('One.'), text('Two.')]]);
    const active: unknown[] = [];
    const model = {
      provider: 'own',
      async *stream(...given: Parameters<typeof inner.stream>) {
        try {
          yield* inner.stream(...given);
        } finally {
          active.push(trace.getSpan(context.active())?.spanContext().spanId);
        }
      },
    };
    await createHouse([], { ...ON, store, model })
      .connect({ model: 'm' })
      .ask('go');
    expect(spans.tree()).toEqual(['invoke_agent heddle', '  chat m']);
    expect(active).toEqual([spans.named('chat').spanContext().spanId]);
  });

  const broken = () => {
    throw new TypeError(CANARY);
  };
  test.each<[string, () => AsyncIterable<ModelEvent>]>([
    ['at once', broken],
    ['when it is asked', () => ({ [Symbol.asyncIterator]: () => ({ next: async () => broken() }) })],
  ])('a model of the program that throws %s', async (_when, stream) => {
    const result = await createHouse([], { ...ON, model: { provider: 'own', stream } })
      .connect({ model: 'm' })
      .ask('go');
    expect(result.is_error).toBe(true);
    expect(spans.tree()).toEqual(['invoke_agent heddle', '  chat m']);
    expect(spans.named('chat')).toMatchObject({
      status: { code: SpanStatusCode.ERROR },
      attributes: { 'error.type': 'TypeError' },
    });
  });

  test('an error is told by a word, whatever its code and its name are', async () => {
    const model = {
      provider: 'own',
      stream: () => {
        throw Object.assign(new Error(CANARY), { code: `a ${CANARY}`, name: `the ${CANARY}` });
      },
    };
    await createHouse([], { ...ON, model })
      .connect()
      .ask('go');
    expect(spans.named('chat').attributes['error.type']).toBe('_OTHER');
  });

  test('a denial, and a tool that fails', async () => {
    const house = createHouse(
      [
        [
          toolUse('Bash', { command: `touch ${CANARY}` }, 'denied'),
          toolUse('Read', { file_path: `/${CANARY}` }, 'failed'),
        ],
        'Done.',
      ],
      ON,
    );
    await house.connect({ model: 'm', allowedTools: ['Read'] }).ask('go');
    const facts = spans
      .all()
      .filter(({ name }) => name.startsWith('execute_tool'))
      .map(({ name, attributes, status }) => ({
        name,
        decision: attributes['heddle.permission.decision'],
        error: attributes['error.type'],
        status: status.code,
      }));
    expect(facts).toEqual([
      { name: 'execute_tool Bash', decision: 'deny', error: 'permission_denied', status: SpanStatusCode.ERROR },
      { name: 'execute_tool Read', decision: 'allow', error: 'tool_error', status: SpanStatusCode.ERROR },
    ]);
    expect(JSON.stringify(spans.all().map(({ attributes, events }) => [attributes, events]))).not.toContain(CANARY);
  });
});

test('a turn whose store breaks', async () => {
  const store = createMemoryStore();
  store.append = async () => {
    throw new Error(CANARY);
  };
  const result = await createHouse(['Hi.'], { ...ON, store })
    .connect()
    .ask('go');
  expect(result.subtype).toBe('error_during_execution');
  const { status, attributes } = spans.named('invoke_agent');
  expect(status).toEqual({ code: SpanStatusCode.ERROR });
  expect(attributes['error.type']).toMatch(/^\w+$/);
});
