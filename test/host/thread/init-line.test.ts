import { describe, expect, test } from 'vitest';
import { SYSTEM_PROMPT } from '../../../src/agent/messages/system-prompt.ts';
import type { ModelRequest } from '../../../src/model/model.ts';
import { SystemInitMessage } from '../../../src/wire/messages/index.ts';
import type { RunConfig } from '../../../src/wire/run-config.ts';
import { HEDDLE_VERSION, WIRE_VERSION } from '../../../src/wire/version.ts';
import { createHouse, type House } from '../support.ts';

/** What the first turn of such a session says and sends. */
async function opened(config: RunConfig = {}, options: Parameters<typeof createHouse>[1] = {}) {
  const house: House = createHouse(['fine'], options);
  const client = house.connect(config);
  await client.ask('go');
  return { house, init: client.of('system/init')[0] ?? {}, request: house.model.requests[0] as ModelRequest };
}

describe('the init line', () => {
  test('[FLD-03, FLD-09, MSG-01] tells what is in force', async () => {
    const { house, init } = await opened({ permissionMode: 'plan', model: 'opus' });
    expect(init).toMatchObject({
      cwd: house.dir,
      model: 'claude-opus-4-6',
      permissionMode: 'plan',
      output_style: 'default',
      fast_mode_state: 'off',
    });
    expect(init.tools).toEqual(expect.arrayContaining(['Bash', 'Glob', 'Grep', 'Read', 'Edit', 'Write']));
    expect(SystemInitMessage.safeParse(init).success).toBe(true);
  });

  test('[FLD-04, FLD-05, FLD-06] lists are there, also when nothing is in them', async () => {
    const { init } = await opened();
    for (const key of ['mcp_servers', 'slash_commands', 'agents', 'skills', 'plugins']) {
      expect(init[key], key).toBeInstanceOf(Array);
    }
  });

  test('[FLD-08, P1] carries the version of the wire and ours', async () => {
    const { init } = await opened();
    expect(init.claude_code_version).toBe(WIRE_VERSION);
    expect(WIRE_VERSION).toMatch(/^\d+\.\d+\.\d+$/);
    expect(init.heddle_version).toBe(HEDDLE_VERSION);
  });

  test('[B-154] lists what hosts may count on, as the answer to initialize does', async () => {
    const house = createHouse([]);
    const client = house.connect();
    const { response } = await client.control({ subtype: 'initialize' });
    const { capabilities } = response as { capabilities: string[] };
    expect(capabilities).toEqual(expect.arrayContaining(['end_input', 'parent_uuid', 'session_tree', 'session_store']));
    expect((await opened()).init.capabilities).toEqual(capabilities);
  });

  test('[FLD-02] names where the credential comes from', async () => {
    const key = { env: { ANTHROPIC_API_KEY: 'sk-test' } };
    expect((await opened()).init.apiKeySource).toBe('none');
    expect((await opened({}, key)).init.apiKeySource).toBe('ANTHROPIC_API_KEY');
    const given = { ...key, credential: async () => ({ apiKey: 'other' }) };
    expect((await opened({}, given)).init.apiKeySource).toBe('none');
  });

  test('[FLD-07, OPT-06, TYP-14] names betas that were asked for, and sends them', async () => {
    expect((await opened()).init).not.toHaveProperty('betas');
    const { init, request } = await opened({ betas: ['context-1m-2025-08-07'] });
    expect(init.betas).toEqual(['context-1m-2025-08-07']);
    expect(request.betas).toEqual(['context-1m-2025-08-07']);
  });

  test('[K43, R-20, G1] says that nothing confines commands and that no project file acts', async () => {
    const { init } = await opened();
    expect(init).toMatchObject({ sandbox: { enabled: false }, trust: { ignored: [] } });
  });
});

describe('the request', () => {
  test('[OPT-22] the model, by name, by alias and by the environment', async () => {
    const modelOf = async (config: RunConfig, env = {}) => (await opened(config, { env })).request.model;
    expect(await modelOf({ model: 'claude-x' })).toBe('claude-x');
    expect(await modelOf({ model: 'haiku' })).toBe('claude-haiku-4-5-20251001');
    expect(await modelOf({}, { ANTHROPIC_MODEL: 'claude-y' })).toBe('claude-y');
    expect(await modelOf({ model: 'claude-x' }, { ANTHROPIC_MODEL: 'claude-y' })).toBe('claude-x');
  });

  test('[OPT-32, OPT-33] the prompts of the launch', async () => {
    const systemOf = async (config: RunConfig) => (await opened(config)).request.system;
    expect(await systemOf({})).toEqual([SYSTEM_PROMPT]);
    expect(await systemOf({ systemPrompt: 'mine', appendSystemPrompt: 'more' })).toEqual(['mine', 'more']);
    expect(await systemOf({ appendSystemPrompt: 'more' })).toEqual([SYSTEM_PROMPT, 'more']);
  });

  test('[OPT-36, B-077] effort is passed on when it was chosen', async () => {
    const effortOf = async (model: string, effort: string) => (await opened({ model, effort })).request.effort;
    for (const effort of ['low', 'xhigh']) expect(await effortOf('claude-opus-4-8', effort)).toBe(effort);
    expect((await opened()).request).not.toHaveProperty('effort');
    // As much as the model takes: the API refuses what it does not know.
    expect(await effortOf('claude-opus-4-6', 'xhigh')).toBe('high');
    expect(await effortOf('claude-opus-4-5', 'max')).toBe('high');
    expect(await effortOf('claude-sonnet-4-5', 'high')).toBeUndefined();
    expect(await effortOf('openai/any', 'max')).toBe('max');
  });

  test.each<[string, RunConfig, Record<string, string>, number | undefined]>([
    ['none', {}, {}, undefined],
    ['a setting', { maxThinkingTokens: 5000 }, {}, 5000],
    ['the environment', {}, { MAX_THINKING_TOKENS: '6000' }, 6000],
    ['the setting before the environment', { maxThinkingTokens: 5000 }, { MAX_THINKING_TOKENS: '6000' }, 5000],
    ['switched off', { thinking: 'disabled', maxThinkingTokens: 5000 }, {}, undefined],
    ['0', { maxThinkingTokens: 0 }, { MAX_THINKING_TOKENS: '6000' }, undefined],
    ['a word in the environment', {}, { MAX_THINKING_TOKENS: 'many' }, undefined],
  ])('[OPT-19, OPT-37] thinking: %s', async (_what, config, env, budget) => {
    const { request } = await opened(config, { env });
    expect(request.thinking).toEqual(budget === undefined ? undefined : { type: 'enabled', budget_tokens: budget });
  });

  test('room for the answer: 32,000 tokens, what the model can, what was asked for, and always more than the thinking', async () => {
    const roomOf = async (config: RunConfig, env = {}) => (await opened(config, { env })).request.maxOutputTokens;
    expect(await roomOf({})).toBe(32_000);
    expect(await roomOf({ model: 'claude-3-5-sonnet-20241022' })).toBe(8192);
    expect(await roomOf({}, { CLAUDE_CODE_MAX_OUTPUT_TOKENS: '1234' })).toBe(1234);
    expect(await roomOf({}, { CLAUDE_CODE_MAX_OUTPUT_TOKENS: 'lots' })).toBe(32_000);
    expect(await roomOf({ maxThinkingTokens: 31_999 })).toBeGreaterThan(31_999);
  });

  test('the tools are the same object in every request of a session: they are serialised once', async () => {
    const house = createHouse(['1', '2']);
    const client = house.connect();
    await client.ask('1');
    await client.ask('2');
    expect(house.model.requests[1]?.tools).toBe(house.model.requests[0]?.tools);
  });
});

describe('an environment', () => {
  test('[K8] that comes with the launch replaces that of the engine', async () => {
    const house = createHouse(['fine'], { env: { ANTHROPIC_MODEL: 'claude-y', ANTHROPIC_API_KEY: 'sk-test' } });
    const client = house.connect({}, { env: { HOME: house.dir } });
    await client.ask('go');
    expect(client.of('system/init')[0]).toMatchObject({ apiKeySource: 'none', model: 'claude-sonnet-4-5-20250929' });
  });

  test('[OPT-09] the launch may run elsewhere', async () => {
    const house = createHouse(['fine']);
    const other = createHouse([]);
    const client = house.connect({}, { cwd: other.dir });
    await client.ask('go');
    expect(client.of('system/init')[0]).toMatchObject({ cwd: other.dir });
  });
});
