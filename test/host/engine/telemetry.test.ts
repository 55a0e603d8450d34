import { INVALID_SPAN_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { describe, expect, test } from 'vitest';
import { engineTelemetry } from '../../../src/host/telemetry/engine-telemetry.ts';
import type { ModelEvent } from '../../../src/model/model.ts';
import { reply, text, toolUse } from '../../../src/testing/script.ts';
import { scriptedModel } from '../../../src/testing/scripted-model.ts';
import { cast, task } from '../../support/cast.ts';
import { collectSpans } from '../../support/spans.ts';
import { createHouse } from '../support.ts';

const spans = collectSpans();
const ON = { telemetry: true } as const;

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
