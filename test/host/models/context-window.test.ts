import { describe, expect, test } from 'vitest';
import type { SelectedModel } from '../../../src/host/engine/engine-models.ts';
import type { Env } from '../../../src/host/engine/environment.ts';
import { contextWindow } from '../../../src/host/models/context-window.ts';
import { reply, text } from '../../../src/testing/script.ts';
import { scriptedModel } from '../../../src/testing/scripted-model.ts';
import type { RunConfig } from '../../../src/wire/run-config.ts';
import { createHouse, type House } from '../support.ts';

const chosen = (window: number): SelectedModel => ({
  id: 'any',
  model: scriptedModel([]),
  keySource: 'none',
  betas: [],
  contextWindow: window,
  maxOutputTokens: 32_000,
  isWindowGuessed: false,
});

function windowOf(config: RunConfig, { env = {}, size = 200_000 } = {}) {
  return contextWindow(config, env as Env, () => chosen(size), { tokens: 7 });
}

describe('the window', () => {
  test('is that of the model in use, also after a change', () => {
    let model = chosen(200_000);
    const context = contextWindow({}, {}, () => model, { tokens: 7 });
    expect(context).toMatchObject({ tokens: 7, window: 200_000, compactAt: 180_000 });
    model = chosen(1_000_000);
    expect(context).toMatchObject({ tokens: 7, window: 1_000_000, compactAt: 980_000 });
  });

  test.each([
    ['[OPT-06] the beta for it', { betas: ['context-1m-2025-08-07'] }],
    ['[1m] behind the name', { model: 'sonnet[1m]' }],
  ])('is a million with %s, which the result tells, too', async (_how, config) => {
    const { modelUsage } = await createHouse(['one']).connect(config).ask('hi');
    expect(Object.values(modelUsage)).toMatchObject([{ contextWindow: 1_000_000 }]);
  });

  test('is what the user says of a model, known or not', async () => {
    const env = { HOME: '/nowhere', HEDDLE_MODEL_LIMITS: '{"claude-sonnet-4-5-20250929":{"contextWindow":9000}}' };
    const { modelUsage } = await createHouse(['one'], { env }).connect({ model: 'sonnet' }).ask('hi');
    expect(Object.values(modelUsage)).toMatchObject([{ contextWindow: 9000, maxOutputTokens: 64_000 }]);
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

describe('a window that nobody knows', () => {
  const guesses = ({ logs }: House) => logs.filter(({ message }) => message.includes('The context window of'));

  test('is guessed aloud, once, also for a model that comes in later', async () => {
    const house = createHouse(['one', 'two']);
    const client = house.connect({ model: 'openai/some-model', fallbackModel: 'openai/other' });
    await client.ask('hi');
    await client.control({ subtype: 'set_model', model: 'openai/third' });
    await client.control({ subtype: 'set_model', model: 'openai/some-model' });
    await client.ask('hi');
    expect(guesses(house).map(({ message }) => /openai\/[\w-]+/.exec(message)?.[0])).toEqual([
      ...['openai/some-model', 'openai/other', 'openai/third'],
    ]);
  });

  test.each([
    { HEDDLE_CONTEXT_WINDOW: '4096' },
    { HEDDLE_MODEL_LIMITS: '{"openai/some-model":{"contextWindow":4096}}' },
  ])('is no guess with %j', async (env) => {
    const house = createHouse(['one'], { env: { HOME: '/nowhere', ...env } });
    await house.connect({ model: 'openai/some-model' }).ask('hi');
    expect(guesses(house)).toEqual([]);
  });
});

describe('[K9] thinking and the length of answers', () => {
  const ask = async (config: RunConfig, env: Env = {}) => {
    const house = createHouse(['one'], { env: { HOME: '/nowhere', ...env } });
    await house.connect({ model: 'sonnet', ...config }).ask('hi');
    const [request] = house.model.requests;
    return { ...house, thinking: request?.thinking, maxOutputTokens: request?.maxOutputTokens };
  };

  test('a budget makes room for itself, up to what the model can write', async () => {
    expect(await ask({ maxThinkingTokens: 40_000 })).toMatchObject({
      thinking: { type: 'enabled', budget_tokens: 40_000 },
      maxOutputTokens: 44_096,
    });
    expect(await ask({ maxThinkingTokens: 100_000 })).toMatchObject({
      thinking: { budget_tokens: 64_000 - 4096 },
      maxOutputTokens: 64_000,
    });
  });

  test('never more than the user allows, and that is said', async () => {
    const env = { CLAUDE_CODE_MAX_OUTPUT_TOKENS: '8000' };
    const { thinking, maxOutputTokens, logs } = await ask({ maxThinkingTokens: 20_000 }, env);
    expect({ thinking, maxOutputTokens }).toEqual({
      thinking: { type: 'enabled', budget_tokens: 4000 },
      maxOutputTokens: 8000,
    });
    expect(logs).toContainEqual({ level: 'warn', message: expect.stringContaining('does not fit') });
  });

  test('a budget below what the API takes is left out', async () => {
    const { thinking } = await ask({ maxThinkingTokens: 20_000 }, { CLAUDE_CODE_MAX_OUTPUT_TOKENS: '1500' });
    expect(thinking).toBeUndefined();
  });
});
