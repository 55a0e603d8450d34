import { describe, expect, it } from 'vitest';
import { eachEvent } from '../../../src/model/each-event.ts';
import { type RetryOptions, withRetry } from '../../../src/model/http/retry.ts';
import type { Failure, FailureClass, Model, ModelEvent } from '../../../src/model/model.ts';
import { collectEvents } from '../../../src/testing/index.ts';
import { Aborted } from '../../../src/util/abort.ts';
import type { Clock } from '../../../src/util/runtime.ts';
import { failureOf } from '../support.ts';

const start: ModelEvent = { type: 'event', event: { type: 'message_start' }, raw: '{"type":"message_start"}' };
const stop: ModelEvent = { type: 'event', event: { type: 'message_stop' }, raw: '{"type":"message_stop"}' };

/** Fails with the given failures, one per attempt, then succeeds. */
function failing(...failures: Partial<Failure>[]): Model & { attempts: number } {
  const model = {
    provider: 'failing',
    attempts: 0,
    async *stream(): AsyncGenerator<ModelEvent> {
      const failure = failures[model.attempts++];
      yield start;
      if (failure) yield { type: 'failure', failure: { class: 'server', message: 'oops', ...failure } };
      else yield stop;
    },
  };
  return model;
}

function fakeClock(): Clock & { waits: number[] } {
  const waits: number[] = [];
  return {
    waits,
    now: () => 0,
    async sleep(ms, signal) {
      if (signal.aborted) throw new Aborted('interrupt');
      waits.push(ms);
    },
  };
}

async function run(model: Model, options: Partial<RetryOptions> = {}) {
  const clock = fakeClock();
  const events = await collectEvents(withRetry(model, { clock, random: () => 0, ...options }));
  return { events, waits: clock.waits };
}

const forever = Array.from({ length: 20 }, () => ({}));

describe('withRetry', () => {
  it('[K28] makes 1 + 10 attempts, 0.5 s doubling to 32 s', async () => {
    const model = failing(...forever);
    const { events, waits } = await run(model);
    expect(model.attempts).toBe(11);
    expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 16000, 32000, 32000, 32000, 32000]);
    expect(failureOf(events)?.class).toBe('server');
  });

  it('[K28] adds up to a quarter of jitter', async () => {
    const { waits } = await run(failing(...forever), { random: () => 0.999999 });
    expect(waits.slice(0, 3)).toEqual([625, 1250, 2500]);
    expect(waits.at(-1)).toBe(40000);
  });

  it('[M-1] [B-113] says so before each wait, and goes on with the next attempt', async () => {
    const { events } = await run(failing({ class: 'overloaded', status: 529 }, { class: 'connection' }));
    expect(events).toEqual([
      start,
      {
        type: 'retry',
        attempt: 1,
        maxRetries: 10,
        delayMs: 500,
        failure: { class: 'overloaded', message: 'oops', status: 529 },
      },
      start,
      { type: 'retry', attempt: 2, maxRetries: 10, delayMs: 1000, failure: { class: 'connection', message: 'oops' } },
      start,
      stop,
    ]);
  });

  it.each<FailureClass>(['rate_limit', 'overloaded', 'server', 'connection', 'timeout', 'malformed'])(
    '[M-1] tries again after %s',
    async (kind) => {
      const model = failing({ class: kind });
      await run(model);
      expect(model.attempts).toBe(2);
    },
  );

  it.each<FailureClass>([
    'authentication',
    'billing',
    'invalid_request',
    'prompt_too_long',
    'model_not_found',
    'aborted',
  ])('[M-4] [K28] does not try again after %s', async (kind) => {
    const model = failing({ class: kind });
    const { events, waits } = await run(model);
    expect(model.attempts).toBe(1);
    expect(waits).toEqual([]);
    expect(failureOf(events)?.class).toBe(kind);
  });

  it('[M-2] waits as long as the API asks', async () => {
    expect((await run(failing({ class: 'rate_limit', retryAfterMs: 2000 }))).waits).toEqual([2000]);
  });

  it('[M-3] gives up at once, aloud, when the API asks for more than ten minutes', async () => {
    const model = failing({ class: 'rate_limit', retryAfterMs: 601_000 });
    const { events, waits } = await run(model);
    expect(model.attempts).toBe(1);
    expect(waits).toEqual([]);
    expect(failureOf(events)).toMatchObject({
      class: 'rate_limit',
      message: expect.stringMatching(/oops.*601 s.*gave up/),
    });
  });

  it('[M-3] counts all waits together', async () => {
    const model = failing(...forever.map((): Partial<Failure> => ({ class: 'rate_limit', retryAfterMs: 250_000 })));
    const { events, waits } = await run(model);
    expect(waits).toEqual([250_000, 250_000]);
    expect(failureOf(events)?.message).toContain('gave up');
  });

  it('[K28] takes the number of retries from its options', async () => {
    const model = failing(...forever);
    await run(model, { maxRetries: 2 });
    expect(model.attempts).toBe(3);
  });

  it('[LOOP-10] ends with an abort when the signal fires during a wait', async () => {
    const controller = new AbortController();
    const events: ModelEvent[] = [];
    const model = withRetry(failing({}), { clock: fakeClock(), random: () => 0 });
    for await (const event of eachEvent(model.stream({} as never, controller.signal))) {
      events.push(event);
      if (event.type === 'retry') controller.abort();
    }
    expect(failureOf(events)?.class).toBe('aborted');
  });
});
