import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ModelInfo, PermissionRules } from '../../../src/wire/control/index.ts';
import { HEDDLE_VERSION, WIRE_VERSION } from '../../../src/wire/version.ts';
import { createHouse } from '../support.ts';

describe('list_models', () => {
  const modelsOf = async (env: Record<string, string>, config = {}) => {
    const client = createHouse([], { env }).connect(config);
    const { response } = await client.control({ subtype: 'list_models' });
    const { models } = response as { models: ModelInfo[] };
    return new Map(models.map((model) => [model.value, model]));
  };

  test('[B-166, QM-07] each with the model that its name means here', async () => {
    const models = await modelsOf({ ANTHROPIC_DEFAULT_OPUS_MODEL: 'claude-opus-9' }, { model: 'haiku' });
    expect(models.get('default')).toMatchObject({ resolvedModel: 'claude-haiku-4-5-20251001' });
    expect(models.get('sonnet')).toMatchObject({ resolvedModel: 'claude-sonnet-4-5-20250929' });
    expect(models.get('opus')).toMatchObject({ resolvedModel: 'claude-opus-9', supportsAdaptiveThinking: true });
    expect(models.get('haiku')).toMatchObject({ supportsAdaptiveThinking: false });
  });

  test('a name that nothing can answer has no meaning, and is no reason to fail', async () => {
    const models = await modelsOf({ ANTHROPIC_DEFAULT_SONNET_MODEL: 'replay:file' }, { model: 'offline' });
    expect(models.get('sonnet')).not.toHaveProperty('resolvedModel');
    expect(models.get('offline')).toMatchObject({ resolvedModel: 'offline' });
  });

  test('the answer to initialize has the same', async () => {
    const client = createHouse([]).connect();
    const { response: initialized } = await client.control({ subtype: 'initialize' });
    const { response: listed } = await client.control({ subtype: 'list_models' });
    expect((initialized as { models: unknown }).models).toEqual((listed as { models: unknown }).models);
  });
});

describe('list_permission_rules', () => {
  test('[B-166] the rules in force, what they do and where they stand', async () => {
    const house = createHouse([]);
    const extra = join(house.dir, '..', 'extra');
    mkdirSync(extra);
    const settings = { permissions: { deny: ['Read(./secret/**)'], ask: ['Bash(git push:*)'] } };
    const client = house.connect({ allowedTools: ['Write'], settings: JSON.stringify(settings), addDir: [extra] });
    const { response } = await client.control({ subtype: 'list_permission_rules' });
    expect((response as PermissionRules).state).toEqual({
      rules: [
        {
          behavior: 'deny',
          toolName: 'Read',
          ruleContent: './secret/**',
          rule: 'Read(./secret/**)',
          source: 'flagSettings',
          editability: 'readonly',
          where: expect.stringContaining('--settings'),
        },
        expect.objectContaining({ behavior: 'ask', rule: 'Bash(git push:*)' }),
        {
          behavior: 'allow',
          toolName: 'Write',
          rule: 'Write',
          source: 'cliArg',
          editability: 'session',
          where: '--allowedTools',
        },
      ],
      workspaceDirectories: [{ path: extra, source: 'cliArg' }],
      originalCwd: house.dir,
      managedOnly: false,
    });
  });

  test('a fresh session has none', async () => {
    const house = createHouse([]);
    expect(await house.connect().control({ subtype: 'list_permission_rules' })).toMatchObject({
      response: { state: { rules: [], workspaceDirectories: [], originalCwd: house.dir } },
    });
  });
});

test('[B-166, B-167] hooks, versions and output styles', async () => {
  const client = createHouse([]).connect();
  const answer = async (subtype: string) => (await client.control({ subtype })).response;
  expect(await answer('get_hooks_listing')).toMatchObject({ events: [], hooks: [] });
  expect(await answer('get_binary_version')).toEqual({ version: WIRE_VERSION, heddle_version: HEDDLE_VERSION });
  expect(await answer('reload_output_styles')).toEqual({
    available_output_styles: ['default', 'Explanatory', 'Learning'],
  });
});
