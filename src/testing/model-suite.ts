import assert from 'node:assert/strict';
import { createAccumulator } from '../model/accumulate.ts';
import { eachEvent } from '../model/each-event.ts';
import type { Failure, FailureClass, Model, ModelEvent, ModelRequest } from '../model/model.ts';
import type { ContentBlock } from '../wire/api/content.ts';
import { type AnswerLike, fail, reply, text, thinking, toolUse } from './script.ts';

/** A model that answers by the given script while the case runs. */
export interface ModelUnderTest {
  model: Model;
  close(): Promise<void>;
}

export type MakeModel = (script: readonly AnswerLike[]) => Promise<ModelUnderTest>;

export interface ModelCase {
  name: string;
  /** Rejects with an assertion error when the model breaks the contract. */
  run(make: MakeModel): Promise<void>;
}

export interface ModelSuiteOptions {
  /** Whether the provider signs its thoughts. Default true. */
  signsThoughts?: boolean;
}

/**
 * The contract of the Model port, as cases for any test runner. An adapter brings its own `make`: usually a fake server
 * of its provider that plays the script.
 *
 * @example
 * ```ts
 * import { test } from 'vitest';
 *
 * for (const { name, run } of modelCases()) {
 *   test(name, () => run(async (script) => ({ model: scriptedModel(script), close: async () => {} })));
 * }
 * ```
 */
export function modelCases({ signsThoughts = true }: ModelSuiteOptions = {}): ModelCase[] {
  return [...answerCases({ signsThoughts }), ...failureCases(), ...abortCases()].map(({ name, script, check }) => ({
    name,
    async run(make) {
      const { model, close } = await make(script);
      try {
        await check(model);
      } finally {
        model.close?.();
        await close();
      }
    },
  }));
}

interface Case {
  name: string;
  script: readonly AnswerLike[];
  check(model: Model): Promise<void>;
}

/**
 * A request as the loop would make it: a short system prompt, one tool, one message.
 *
 * @example
 * ```ts
 * const signal = AbortSignal.timeout(1000);
 * for await (const event of scriptedModel(['Hello!']).stream(sampleRequest('hello'), signal)) console.log(event);
 * ```
 */
export function sampleRequest(prompt = 'Hello'): ModelRequest {
  return {
    model: 'claude-sonnet-4-5-20250929',
    system: ['Be brief.'],
    tools: [{ name: 'Bash', description: 'Runs a command.', input_schema: { type: 'object', properties: {} } }],
    messages: [{ role: 'user', content: [{ type: 'text', text: prompt }] }],
    maxOutputTokens: 1000,
  };
}

/**
 * All events of one call.
 *
 * @example
 * ```ts
 * const events = await collectEvents(scriptedModel(['Hello!']));
 * console.log(events.length);
 * ```
 */
export async function collectEvents(
  model: Model,
  signal: AbortSignal = new AbortController().signal,
): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of eachEvent(model.stream(sampleRequest(), signal))) events.push(event);
  return events;
}

/**
 * The blocks that the events build.
 *
 * @example
 * ```ts
 * console.log(blocksOf(await collectEvents(scriptedModel([thinking('Hm.'), 'Hello!']))));
 * ```
 */
export function blocksOf(events: readonly ModelEvent[]): ContentBlock[] {
  const accumulator = createAccumulator();
  return events.flatMap((event) => {
    const completed = event.type === 'event' ? accumulator.add(event.event) : null;
    return completed ? [completed.block] : [];
  });
}

function answerCases({ signsThoughts }: { signsThoughts: boolean }): Case[] {
  const unicode = 'Grüße, 世界 👩‍👩‍👧 \u2028 "quoted" \\ \n end';
  return [
    {
      name: 'tells that the request was accepted, then the stream from message_start to message_stop',
      script: ['Hello'],
      async check(model) {
        const events = await collectEvents(model);
        assert.equal(events[0]?.type, 'response');
        const types = typesOf(events);
        assert.equal(types[0], 'message_start');
        assert.equal(types.at(-1), 'message_stop');
        assert.ok(!types.includes('ping'), 'keep-alives are not told');
      },
    },
    {
      name: 'keeps every character of a text, however it is cut',
      script: [reply([text(...unicode)], { chunkBytes: 7 })],
      async check(model) {
        assert.deepEqual(
          blocksOf(await collectEvents(model)).map((block) => block.type === 'text' && block.text),
          [unicode],
        );
      },
    },
    {
      name: 'gives each event with its text on one line',
      script: [[thinking('hm'), text('a', 'b'), toolUse('Bash', { command: 'echo "x\ny"' })]],
      async check(model) {
        for (const event of await collectEvents(model)) {
          if (event.type !== 'event') continue;
          assert.deepEqual(JSON.parse(event.raw), event.event);
          assert.ok(!event.raw.includes('\n'));
        }
      },
    },
    {
      name: 'streams thoughts, with their signature if there is one, and parallel tool calls',
      script: [
        [thinking('hm', 'c2ln'), toolUse('Bash', { command: 'a' }, 't1'), toolUse('Bash', { command: 'b' }, 't2')],
      ],
      async check(model) {
        const [thought, ...calls] = blocksOf(await collectEvents(model));
        assert.ok(thought?.type === 'thinking');
        assert.equal(thought.thinking, 'hm');
        assert.equal(thought.signature, signsThoughts ? 'c2ln' : '');
        assert.deepEqual(calls, [
          { type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'a' } },
          { type: 'tool_use', id: 't2', name: 'Bash', input: { command: 'b' } },
        ]);
      },
    },
    {
      name: 'can be left early, and asked again',
      script: [text('one ', 'two ', 'three'), 'again'],
      async check(model) {
        for await (const event of eachEvent(model.stream(sampleRequest(), new AbortController().signal))) {
          if (event.type === 'event') break;
        }
        assert.equal(typesOf(await collectEvents(model)).at(-1), 'message_stop');
      },
    },
  ];
}

const ERRORS: readonly [status: number, type: string, message: string, expected: FailureClass][] = [
  [400, 'invalid_request_error', 'messages: wrong', 'invalid_request'],
  [400, 'invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum', 'prompt_too_long'],
  [400, 'invalid_request_error', 'Your credit balance is too low', 'billing'],
  [401, 'authentication_error', 'invalid x-api-key', 'authentication'],
  [403, 'permission_error', 'not allowed', 'authentication'],
  [404, 'not_found_error', 'model: nope', 'model_not_found'],
  [429, 'rate_limit_error', 'slow down', 'rate_limit'],
  [500, 'api_error', 'oops', 'server'],
  [529, 'overloaded_error', 'Overloaded', 'overloaded'],
];

function failureCases(): Case[] {
  return [
    ...ERRORS.map(([status, type, message, expected]) => ({
      name: `reports status ${status} (${message}) as ${expected}`,
      script: [fail(status, type, message, { 'retry-after': '3' })],
      async check(model: Model) {
        const failure = onlyFailure(await collectEvents(model));
        assert.equal(failure.class, expected);
        assert.equal(failure.status, status);
        assert.ok(failure.message.includes(message));
        assert.equal(failure.retryAfterMs, 3000);
      },
    })),
    {
      name: 'reports a stream that breaks as a connection failure, after what had come',
      script: [reply([text('one ', 'two')], { fault: { after: { block: 0 }, how: 'cut' } })],
      async check(model) {
        const events = await collectEvents(model);
        assert.equal(onlyFailure(events).class, 'connection');
        assert.ok(!typesOf(events).includes('message_stop'));
      },
    },
    {
      name: 'reports a stream that ends in the middle as a connection failure',
      script: [reply([text('one ', 'two')], { fault: { after: { block: 0 }, how: 'end' } })],
      async check(model) {
        assert.equal(onlyFailure(await collectEvents(model)).class, 'connection');
      },
    },
    {
      name: 'reports an error inside the stream by its type',
      script: [
        reply([text('one')], {
          fault: { after: { events: 3 }, how: { error: { type: 'overloaded_error', message: 'Overloaded' } } },
        }),
      ],
      async check(model) {
        assert.equal(onlyFailure(await collectEvents(model)).class, 'overloaded');
      },
    },
  ];
}

function abortCases(): Case[] {
  return [
    {
      name: 'does nothing when the signal has fired before',
      script: ['Hello'],
      async check(model) {
        assert.equal(onlyFailure(await collectEvents(model, AbortSignal.abort())).class, 'aborted');
      },
    },
    {
      name: 'ends soon after the signal, in the middle of a stream',
      script: [reply([text('one ', 'two')], { fault: { after: { block: 0 }, how: 'hang' } })],
      async check(model) {
        const controller = new AbortController();
        const events: ModelEvent[] = [];
        let abortedAt = 0;
        for await (const event of eachEvent(model.stream(sampleRequest(), controller.signal))) {
          events.push(event);
          if (event.type !== 'event' || abortedAt > 0) continue;
          abortedAt = performance.now();
          controller.abort();
        }
        assert.equal(onlyFailure(events).class, 'aborted');
        assert.ok(performance.now() - abortedAt < 1000);
      },
    },
  ];
}

function typesOf(events: readonly ModelEvent[]): string[] {
  return events.flatMap((event) => (event.type === 'event' ? [event.event.type] : []));
}

/** The failure, which must be the only one and the last event. */
function onlyFailure(events: readonly ModelEvent[]): Failure {
  const failures = events.flatMap((event) => (event.type === 'failure' ? [event.failure] : []));
  assert.equal(failures.length, 1);
  assert.equal(events.at(-1)?.type, 'failure');
  return failures[0] as Failure;
}
