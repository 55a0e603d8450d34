import { describe, expect, test } from 'vitest';
import { contextWindow } from '../../src/host/context-window.ts';
import type { Env } from '../../src/host/home.ts';
import type { Chosen } from '../../src/host/models.ts';
import { reply, text } from '../../src/testing/script.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import type { RunConfig } from '../../src/wire/run-config.ts';
import { createHouse } from './support.ts';

const chosen = (window: number): Chosen => ({
  id: 'any',
  model: scriptedModel([]),
  betas: [],
  contextWindow: window,
  maxOutputTokens: 32_000,
  isWindowGuessed: false,
});

function windowOf(config: RunConfig, { env = {}, size = 200_000, betas = [] as string[] } = {}) {
  return contextWindow(config, env as Env, () => ({ chosen: chosen(size), betas }), 7);
}

describe('the window', () => {
  test('is that of the model in use, also after a change', () => {
    let model = chosen(200_000);
    const context = contextWindow({}, {}, () => ({ chosen: model, betas: [] }), 7);
    expect(context).toMatchObject({ tokens: 7, window: 200_000, compactAt: 180_000 });
    model = chosen(1_000_000);
    expect(context).toMatchObject({ tokens: 7, window: 1_000_000, compactAt: 980_000 });
  });

  test('[OPT-06] is a million with the beta for it', () => {
    expect(windowOf({}, { betas: ['context-1m-2025-08-07'] }).window).toBe(1_000_000);
  });

  test('of a small model is not all reserve', () => {
    expect(windowOf({}, { size: 8000 }).compactAt).toBe(4000);
  });
});

describe('[LOOP-02] where compaction begins', () => {
  test.each<[string, RunConfig, Env, number | null]>([
    ['by default', {}, {}, 180_000],
    ['auto', { autoCompact: 'auto' }, {}, 180_000],
    ['off', { autoCompact: 'off' }, {}, null],
    ['a number of tokens', { autoCompact: '5000' }, {}, 5000],
    ['DISABLE_AUTO_COMPACT', {}, { DISABLE_AUTO_COMPACT: '1' }, null],
    ['DISABLE_AUTO_COMPACT=0', {}, { DISABLE_AUTO_COMPACT: '0' }, 180_000],
    ['DISABLE_AUTO_COMPACT=false', {}, { DISABLE_AUTO_COMPACT: ' False ' }, 180_000],
  ])('%s', (_, config, env, expected) => {
    expect(windowOf(config, { env }).compactAt).toBe(expected);
  });

  test.each(['often', '0', '-5', '1.5', ''])('%j is an error that names the flag', (autoCompact) => {
    expect(() => windowOf({ autoCompact })).toThrow(/--autocompact takes auto, off or a number/);
  });

  test('a session that was left full is compacted when it is resumed', async () => {
    const usage = { input_tokens: 6000 };
    const house = createHouse([reply([text('one')], { usage }), '<summary>They met.</summary>', 'two']);
    const client = house.connect();
    const { session_id } = await client.ask('hi');
    await client.end();
    const resumed = house.connect({ resume: session_id, autoCompact: '5000' });
    expect(await resumed.ask('go on')).toMatchObject({ result: 'two' });
    expect(resumed.of('system/compact_boundary')).toHaveLength(1);
    expect(JSON.stringify(house.model.requests[2]?.messages)).toContain('"text":"go on"');
  });

  test('after it, the facts of the place are told again, once', async () => {
    const usage = { input_tokens: 6000 };
    const house = createHouse([reply([text('one')], { usage }), '<summary>They met.</summary>', 'two', 'three']);
    const client = house.connect({ autoCompact: '5000' });
    await client.ask('hi');
    await client.ask('go on');
    await client.ask('and on');
    const told = house.model.requests.map(
      ({ messages }) => JSON.stringify(messages).split('Working directory:').length,
    );
    expect(told).toEqual([2, 2, 2, 2]);
  });
});

test('a window that nobody knows is guessed aloud', async () => {
  const house = createHouse(['one']);
  await house.connect({ model: 'openai/some-model' }).ask('hi');
  expect(house.logs).toContainEqual({ level: 'warn', message: expect.stringContaining('HEDDLE_CONTEXT_WINDOW') });
  const told = createHouse(['one'], { env: { HOME: '/nowhere', HEDDLE_CONTEXT_WINDOW: '4096' } });
  await told.connect({ model: 'openai/some-model' }).ask('hi');
  expect(told.logs.filter(({ level }) => level === 'warn').map(({ message }) => message)).not.toContainEqual(
    expect.stringContaining('HEDDLE_CONTEXT_WINDOW'),
  );
});
