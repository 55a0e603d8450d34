import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { context, INVALID_SPAN_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { engineTelemetry } from '../../../src/host/telemetry/engine-telemetry.ts';
import type { ModelEvent } from '../../../src/model/model.ts';
import { createMemoryStore } from '../../../src/sessions/memory-store.ts';
import { fail, hang, reply, text, toolUse } from '../../../src/testing/script.ts';
import { scriptedModel } from '../../../src/testing/scripted-model.ts';
import { cast, task } from '../../support/cast.ts';
import { collectSpans } from '../../support/spans.ts';
import { createHouse } from '../support.ts';

const spans = collectSpans();
const ON = { telemetry: true } as const;
const CANARY = 'canary-in-a-coal-mine';

afterEach(() => {
  expect(spans.open()).toEqual([]); // whatever came, a span ends before the result of its turn is told
});

describe('the spans of a turn', () => {
  test('a turn holds its model calls and tool calls; two calls that run side by side are siblings', async () => {
    const house = createHouse(
      [[toolUse('Read', { file_path: 'a' }, 't1'), toolUse('Read', { file_path: 'b' }, 't2')], 'Done.'],
      ON,
    );
    house.file('a', 'x');
    house.file('b', 'y');
    const client = house.connect({ model: 'claude-x' });
    const { session_id } = await client.ask('go');
    expect(spans.tree()).toEqual([
      'invoke_agent heddle',
      '  chat claude-x',
      '  execute_tool Read',
      '  execute_tool Read',
      '  chat claude-x',
    ]);
    const ids = spans.all().map(({ attributes }) => attributes['gen_ai.tool.call.id']);
    expect(ids.filter((id) => id !== undefined).sort()).toEqual(['t1', 't2']);
    for (const { attributes, status } of spans.all()) {
      expect(attributes).toMatchObject({ 'gen_ai.conversation.id': session_id });
      expect(attributes).not.toHaveProperty('error.type');
      expect(status.code).toBe(SpanStatusCode.UNSET);
    }
  });

  test('each kind says what the conventions ask for', async () => {
    const usage = {
      input_tokens: 10,
      cache_read_input_tokens: 100,
      cache_creation_input_tokens: 1000,
      output_tokens: 7,
    };
    const house = createHouse([reply([toolUse('Glob', { pattern: '*' }, 't1')], { usage }), 'Done.'], ON);
    await house.connect({ model: 'claude-x' }).ask('go');
    expect(spans.named('invoke_agent')).toMatchObject({
      kind: SpanKind.INTERNAL,
      attributes: {
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.agent.name': 'heddle',
        'gen_ai.provider.name': 'scripted',
        'gen_ai.request.model': 'claude-x',
        'heddle.result.subtype': 'success',
        'heddle.num_turns': 2,
      },
    });
    expect(spans.named('chat')).toMatchObject({
      kind: SpanKind.CLIENT,
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'scripted',
        'gen_ai.request.model': 'claude-x',
        'gen_ai.response.model': 'claude-x',
        'gen_ai.response.id': expect.stringMatching(/^msg_/),
        'gen_ai.response.finish_reasons': ['tool_use'],
        'gen_ai.usage.input_tokens': 1110,
        'gen_ai.usage.output_tokens': 7,
        'gen_ai.usage.cache_read.input_tokens': 100,
        'gen_ai.usage.cache_creation.input_tokens': 1000,
      },
    });
    expect(spans.named('execute_tool')).toMatchObject({
      kind: SpanKind.INTERNAL,
      attributes: {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': 'Glob',
        'gen_ai.tool.type': 'function',
        'heddle.permission.decision': 'allow',
      },
    });
  });

  test('a turn says what it has cost by itself', async () => {
    const usage = { input_tokens: 1000, output_tokens: 1000 };
    const client = createHouse([reply([text('One.')], { usage }), reply([text('Two.')], { usage })], ON).connect({
      model: 'claude-sonnet-4-5',
    });
    const results = [await client.ask('go'), await client.ask('go on')];
    const costs = spans.all().flatMap(({ attributes }) => attributes['heddle.cost_usd'] ?? []) as number[];
    expect(costs).toHaveLength(2);
    expect(costs[0]).toBeGreaterThan(0);
    expect(costs[0]).toBeCloseTo(results[0]?.total_cost_usd ?? 0, 6);
    expect(costs[1]).toBeCloseTo((results[1]?.total_cost_usd ?? 0) - (results[0]?.total_cost_usd ?? 0), 6);
    expect(spans.named('invoke_agent').attributes).toMatchObject({ 'gen_ai.usage.output_tokens': 1000 });
  });

  test('an agent is below the call that has started it', async () => {
    const house = createHouse(
      cast({ MAIN: [task('CHILD do it'), 'All done.'], CHILD: [toolUse('Glob', { pattern: '*' }), 'It is done.'] }),
      ON,
    );
    await house.connect({ model: 'm' }).ask('MAIN go');
    expect(spans.tree()).toEqual([
      'invoke_agent heddle',
      '  chat m',
      '  execute_tool Task',
      '    invoke_agent general-purpose',
      '      chat m',
      '      execute_tool Glob',
      '      chat m',
      '  chat m',
    ]);
    expect(spans.named('invoke_agent general').attributes).toMatchObject({
      'gen_ai.agent.id': expect.stringMatching(/^a/),
      'gen_ai.usage.output_tokens': expect.any(Number),
      'heddle.cost_usd': expect.any(Number),
    });
  });
});

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

describe('what was said', () => {
  const talk = () => [[text(`I say ${CANARY}`), toolUse('Bash', { command: `echo ${CANARY}` })], `Done, ${CANARY}.`];
  const told = () =>
    JSON.stringify(spans.all().map(({ name, attributes, events, status }) => [name, attributes, events, status]));

  test('is in no attribute, nor are paths', async () => {
    const house = createHouse(talk(), ON);
    await house.connect({ allowedTools: ['Bash'], appendSystemPrompt: CANARY }).ask(`Say ${CANARY}`);
    expect(spans.all().length).toBe(4);
    expect(told()).not.toContain(CANARY);
    expect(told()).not.toContain(house.dir);
  });

  test('is told where that was asked for, cut to a length', async () => {
    const house = createHouse([toolUse('Bash', { command: `echo ${CANARY}` }), `Done, ${CANARY}.`], {
      telemetry: { captureContent: true },
    });
    await house
      .connect({ allowedTools: ['Bash'], appendSystemPrompt: `${CANARY}-system` })
      .ask(`${CANARY} ${'x'.repeat(1e6)}`);
    const tool = spans.named('execute_tool').attributes;
    expect(tool['gen_ai.tool.call.arguments']).toBe(`{"command":"echo ${CANARY}"}`);
    expect(tool['gen_ai.tool.call.result']).toContain(CANARY);
    const [turn, chat] = [spans.named('invoke_agent').attributes, spans.named('chat').attributes];
    for (const { 'gen_ai.input.messages': input } of [turn, chat]) {
      const [message] = JSON.parse(String(input));
      expect(message).toMatchObject({ role: 'user' });
      expect(message.parts[0].content.startsWith(`${CANARY} xxx`)).toBe(true);
      expect(message.parts[0].content).toMatch(/x… \(\d+ more characters\)$/);
      expect(String(input).length).toBeLessThan(40_000);
    }
    expect(chat['gen_ai.system_instructions']).toContain(`${CANARY}-system`);
    expect(JSON.parse(String(chat['gen_ai.output.messages']))).toMatchObject([
      { role: 'assistant', parts: [{ type: 'tool_call', name: 'Bash' }] },
    ]);
    expect(turn['gen_ai.output.messages']).toContain(`Done, ${CANARY}.`);
  });

  test('[G4] a credential is not', async () => {
    const house = createHouse([toolUse('Bash', { command: 'echo "key: sk-$((40 + 2))-secret"' }), 'Done.'], {
      env: { PATH: process.env.PATH, HOME: '/', ANTHROPIC_API_KEY: 'sk-42-secret' },
      telemetry: { captureContent: true },
    });
    await house.connect({ allowedTools: ['Bash'] }).ask('my key is sk-42-secret');
    expect(spans.named('execute_tool').attributes['gen_ai.tool.call.result']).toContain('key: ');
    expect(spans.named('chat').attributes['gen_ai.input.messages']).toContain('my key is ');
    expect(told()).not.toContain('sk-42-secret');
  });

  test('[G4] nor half of one, where a text is cut', async () => {
    const house = createHouse(['Done.'], {
      env: { HOME: '/', ANTHROPIC_API_KEY: 'sk-42-secret' },
      telemetry: { captureContent: true },
    });
    await house.connect().ask(`${'x'.repeat(3995)}sk-42-secret`);
    expect(told()).toContain('xxx');
    expect(told()).not.toContain('sk-4');
  });
});

describe('what a turn belongs to', () => {
  const tracer = trace.getTracer('host');

  test('what the sender of its message was doing at that moment, in a session that lives longer', async () => {
    const client = createHouse(['One.', 'Two.'], ON).connect({ model: 'm' });
    for (const name of ['first request', 'second request']) {
      await tracer.startActiveSpan(name, async (span) => {
        await client.ask('go');
        span.end();
      });
    }
    expect(spans.tree()).toEqual([
      ...['first request', '  invoke_agent heddle', '    chat m'],
      ...['second request', '  invoke_agent heddle', '    chat m'],
    ]);
  });

  test('its own, where two sessions of one engine are at work at the same time', async () => {
    const house = createHouse(
      cast({
        MAIN: [task('CHILD do it'), 'All done.'],
        CHILD: [toolUse('Bash', { command: 'sleep 0.1' }), 'It is done.'],
      }),
      ON,
    );
    const sessions = await Promise.all(
      ['left', 'right'].map((name) =>
        tracer.startActiveSpan(name, async (span) => {
          const { session_id } = await house.connect({ model: 'm', allowedTools: ['Bash'] }).ask('MAIN go');
          span.end();
          return { session_id, traceId: span.spanContext().traceId };
        }),
      ),
    );
    for (const { session_id, traceId } of sessions) {
      const own = spans.all().filter((span) => span.attributes['gen_ai.conversation.id'] === session_id);
      expect(own.map(({ name }) => name).sort()).toEqual(
        [
          ...['invoke_agent heddle', 'chat m', 'execute_tool Task', 'chat m'],
          ...['invoke_agent general-purpose', 'chat m', 'execute_tool Bash', 'chat m'],
        ].sort(),
      );
      expect(new Set(own.map((span) => span.spanContext().traceId))).toEqual(new Set([traceId]));
    }
  });

  test('nothing, where no context manager is registered; its spans are still told by the session', async () => {
    context.disable();
    try {
      const { session_id } = await createHouse([toolUse('Glob', { pattern: '*' }), 'Done.'], ON)
        .connect({ model: 'm' })
        .ask('go');
      expect(spans.all()).toHaveLength(4);
      for (const { attributes, parentSpanContext } of spans.all()) {
        expect(parentSpanContext).toBeUndefined();
        expect(attributes['gen_ai.conversation.id']).toBe(session_id);
      }
    } finally {
      context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    }
  });

  test('the state of another trace is not handed on', async () => {
    const env = { PATH: process.env.PATH, HOME: '/', TRACESTATE: 'other=1' };
    const house = createHouse([toolUse('Bash', { command: 'echo "$TRACEPARENT [$TRACESTATE]"' }), 'Done.'], {
      ...ON,
      env,
    });
    const client = house.connect({ allowedTools: ['Bash'] });
    await client.ask('go');
    const { spanId } = spans.named('execute_tool').spanContext();
    expect(JSON.stringify(client.of('user'))).toContain(`${spanId}-01 []`);
  });

  test('[B-240] what TRACEPARENT names, when nothing is going on here', async () => {
    const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const env = { PATH: process.env.PATH, HOME: '/', TRACEPARENT, TRACESTATE: 'shop=1' };
    const house = createHouse([toolUse('Bash', { command: 'echo "$TRACEPARENT $TRACESTATE"' }), 'Done.'], {
      ...ON,
      env,
    });
    const client = house.connect({ model: 'm', allowedTools: ['Bash'] });
    await client.ask('go');
    const turn = spans.named('invoke_agent');
    expect(turn.spanContext().traceId).toBe('0af7651916cd43dd8448eb211c80319c');
    expect(turn.parentSpanContext).toMatchObject({ spanId: 'b7ad6b7169203331', isRemote: true });
    // Commands are told of the call that runs them.
    const call = spans.named('execute_tool').spanContext();
    expect(JSON.stringify(client.of('user'))).toContain(`00-${call.traceId}-${call.spanId}-01 shop=1`);
  });

  test.each([
    '',
    'nonsense',
    '00-00000000000000000000000000000000-b7ad6b7169203331-01',
    'ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  ])('nothing, where TRACEPARENT is %j', async (TRACEPARENT) => {
    await createHouse(['Hi.'], { ...ON, env: { HOME: '/', TRACEPARENT } })
      .connect()
      .ask('go');
    expect(spans.named('invoke_agent').parentSpanContext).toBeUndefined();
  });

  test('the code of a tool and of a model runs within its span', async () => {
    const active: (string | undefined)[] = [];
    const note = () => active.push(trace.getSpan(context.active())?.spanContext().spanId);
    const inner = scriptedModel(['Hi.']);
    const model = {
      provider: 'own',
      async *stream(...[request, signal]: Parameters<typeof inner.stream>) {
        note();
        for await (const each of inner.stream(request, signal)) {
          note();
          yield each;
        }
        note();
      },
    };
    await createHouse([], { ...ON, model })
      .connect()
      .ask('go');
    expect(new Set(active)).toEqual(new Set([spans.named('chat').spanContext().spanId]));
    expect(active.length).toBeGreaterThan(4);
  });

  test('a tracer that was handed in starts the spans', async () => {
    const started: string[] = [];
    const own = {
      startSpan(name: string) {
        started.push(name);
        return tracer.startSpan(name);
      },
    };
    await createHouse(['Hi.'], { telemetry: { tracer: own } })
      .connect({ model: 'm' })
      .ask('go');
    expect(started).toEqual(['invoke_agent heddle', 'chat m']);
  });
});

const ASKED_OF_PROVIDERS = ['startSpan', 'end', 'setAttributes', 'setStatus', 'addEvent', 'spanContext'];

test.each(ASKED_OF_PROVIDERS)('a provider whose %s throws fails no turn, and is told of once', async (where) => {
  const broken = () => {
    throw new Error('no room');
  };
  const startSpan = () => Object.assign(trace.wrapSpanContext(INVALID_SPAN_CONTEXT), { [where]: broken });
  const tracer = { startSpan: where === 'startSpan' ? broken : startSpan };
  const inner = scriptedModel([toolUse('Read', { file_path: 'missing' }), 'Hi.']);
  const model = {
    provider: 'flaky',
    async *stream(...given: Parameters<typeof inner.stream>) {
      const failure = { class: 'overloaded', message: '' };
      yield { type: 'retry', attempt: 1, maxRetries: 2, delayMs: 0, failure } as ModelEvent;
      yield* inner.stream(...given);
    },
  };
  const house = createHouse([], { telemetry: { tracer }, model });
  expect(await house.connect().ask('go')).toMatchObject({ subtype: 'success', result: 'Hi.' });
  expect(house.logs.filter(({ level }) => level === 'warn')).toContainEqual({
    level: 'warn',
    message: 'Spans are lost: no room',
  });
  expect(house.logs.filter(({ message }) => message.startsWith('Spans are lost'))).toHaveLength(1);
});

test('nothing is told unless it is on', async () => {
  await createHouse(['Hi.']).connect().ask('go');
  expect(spans.all()).toEqual([]);
});

test('a missing package is said aloud, and the session goes on', async () => {
  const said: string[] = [];
  const telemetry = await engineTelemetry(
    {},
    (level, message) => said.push(`${level}: ${message}`),
    async () => null,
  );
  expect(telemetry).toBeNull();
  expect(said).toEqual(['warn: Telemetry is off: the package @opentelemetry/api is not installed beside heddle']);
});
