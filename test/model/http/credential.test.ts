import { afterEach, expect, test } from 'vitest';
import { createAnthropicModel } from '../../../src/model/anthropic/anthropic.ts';
import { eachEvent } from '../../../src/model/each-event.ts';
import type { ModelEvent } from '../../../src/model/model.ts';
import { type FakeApi, reply, sampleRequest, startFakeApi, text } from '../../../src/testing/index.ts';
import { randomIds, silentLogger, systemClock } from '../../../src/util/system-runtime.ts';

let api: FakeApi;
afterEach(() => api.close());

async function eventsWith(credential: () => Promise<{ apiKey: string }>): Promise<ModelEvent[]> {
  api = await startFakeApi(() => reply([text('hi')]));
  const runtime = { clock: systemClock(), ids: randomIds(), log: silentLogger };
  const model = createAnthropicModel({ baseUrl: api.url, userAgent: 'test', runtime, credential });
  const events: ModelEvent[] = [];
  for await (const event of eachEvent(model.stream(sampleRequest(), new AbortController().signal))) events.push(event);
  model.close?.();
  return events;
}

const after = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test('[MSG-19] a credential helper that takes its time is told about, before and after', async () => {
  const events = await eventsWith(async () => {
    await after(150);
    return { apiKey: 'rotated' };
  });
  expect(events.slice(0, 3)).toMatchObject([
    { type: 'auth', isAuthenticating: true },
    { type: 'auth', isAuthenticating: false },
    { type: 'response' },
  ]);
  expect(api.requests[0]?.headers['x-api-key']).toBe('rotated');
});

test('[FLD-36] a helper that fails says why, and nothing is sent', async () => {
  const events = await eventsWith(async () => {
    await after(150);
    throw new Error('the vault is sealed');
  });
  expect(events).toMatchObject([
    { type: 'auth', isAuthenticating: true },
    { type: 'auth', isAuthenticating: false, error: expect.stringContaining('the vault is sealed') },
    { type: 'failure', failure: { class: 'authentication' } },
  ]);
  expect(api.requests).toHaveLength(0);
});

test('a quick helper is no news', async () => {
  const events = await eventsWith(async () => ({ apiKey: 'k' }));
  expect(events.filter(({ type }) => type === 'auth')).toEqual([]);
});
