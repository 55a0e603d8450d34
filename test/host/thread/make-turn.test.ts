import { describe, expect, test } from 'vitest';
import { fail } from '../../../src/testing/script.ts';
import { createHouse } from '../support.ts';

const overloaded = fail(529, 'overloaded_error', 'Overloaded');

describe('[K17, FLG-16] fallbacks', () => {
  test('are a list; each but the last is given up after three overloads', async () => {
    const house = createHouse([overloaded, overloaded, 'fine']);
    const client = house.connect({ fallbackModel: 'haiku, opus' });
    expect(await client.ask('go')).toMatchObject({ subtype: 'success', result: 'fine' });
    expect(house.model.requests.map(({ model, overloadLimit }) => [model, overloadLimit])).toEqual([
      ['claude-sonnet-4-5-20250929', 3],
      ['claude-haiku-4-5-20251001', 3],
      ['claude-opus-4-6', undefined],
    ]);
    expect(client.of('system/model_fallback').map((line) => line.fallback_model)).toEqual([
      ...['claude-haiku-4-5-20251001', 'claude-opus-4-6'],
    ]);
  });

  test('[B-048] stand in for one turn: the next begins with the model that was chosen', async () => {
    const house = createHouse([overloaded, 'one', 'two']);
    const client = house.connect({ fallbackModel: 'haiku' });
    await client.ask('1');
    await client.ask('2');
    expect(house.model.requests.at(-1)?.model).toBe('claude-sonnet-4-5-20250929');
    expect(client.of('system/init').map(({ model }) => model)).toEqual(Array(2).fill('claude-sonnet-4-5-20250929'));
  });

  test('without any, the usual patience holds', async () => {
    const house = createHouse(['fine']);
    await house.connect().ask('go');
    expect(house.model.requests[0]).not.toHaveProperty('overloadLimit');
  });
});

describe('a limit on time', () => {
  test('ends the turn with an error that names it, and the session goes on', async () => {
    const house = createHouse([{ kind: 'hang' }, 'fine']);
    const client = house.connect({ maxDurationMs: 50 });
    expect(await client.ask('go')).toMatchObject({
      subtype: 'error_during_execution',
      is_error: true,
      terminal_reason: 'max_duration',
      errors: [expect.stringContaining('50 ms')],
    });
    expect(await client.ask('again')).toMatchObject({ result: 'fine' });
  });

  test.each([0, -1, Number.NaN])('[K6] %d is refused', async (maxDurationMs) => {
    const client = createHouse([]).connect({ maxDurationMs });
    expect(await client.end()).toMatchObject({ code: 1 });
  });
});
