import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { describe, expect, test } from 'vitest';
import { toolUse } from '../../../src/testing/script.ts';
import { scriptedModel } from '../../../src/testing/scripted-model.ts';
import { cast, task } from '../../support/cast.ts';
import { collectSpans } from '../../support/spans.ts';
import { createHouse } from '../support.ts';

const spans = collectSpans();
const ON = { telemetry: true } as const;

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
