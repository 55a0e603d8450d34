import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toolUse } from '../../../src/testing/script.ts';
import { hostRequests } from '../../../src/wire/control/index.ts';
import { put } from '../../support/put.ts';
import { createHouse, type House } from '../support.ts';

const touch = toolUse('Bash', { command: 'touch made' });
const userFile = (house: House) => join(house.dir, '..', '.heddle', 'settings.json');

describe('explain_permission', () => {
  const explain = (house: House, command: string, config = {}) => {
    const request = { subtype: 'explain_permission', tool_name: 'Bash', input: { command } };
    return house.connect(config).control(request);
  };

  test('says what would become of a call, which rule decides and where it stands', async () => {
    const house = createHouse([]);
    put(userFile(house), { permissions: { deny: ['Bash(rm:*)'] } });
    const { response } = await explain(house, 'rm -rf x', { allowedTools: ['Bash(touch:*)'] });
    expect(response).toEqual({
      behavior: 'deny',
      layer: 'deny-rule',
      rule: 'Bash(rm:*)',
      where: `${userFile(house)}: permissions.deny`,
      reason: expect.stringContaining('denies it'),
    });
    expect(hostRequests.explain_permission.response.safeParse(response).success).toBe(true);
    expect(await explain(house, 'touch x', { allowedTools: ['Bash(touch:*)'] })).toMatchObject({
      response: { behavior: 'allow', layer: 'allow-rule', rule: 'Bash(touch:*)', where: '--allowedTools' },
    });
    expect(await explain(house, 'touch x')).toMatchObject({ response: { behavior: 'ask', layer: 'default' } });
    expect(await explain(house, 'ls')).toMatchObject({ response: { behavior: 'allow', layer: 'default' } });
  });

  test('a tool that a rule has taken away is denied by that rule', async () => {
    const answer = await explain(createHouse([]), 'ls', { disallowedTools: ['Bash'] });
    expect(answer).toMatchObject({ response: { behavior: 'deny', rule: 'Bash', where: '--disallowedTools' } });
  });

  test('[TUI-42] tries updates that are not applied, and refuses what is none', async () => {
    const client = createHouse([]).connect();
    const rule = (ruleContent: string) => ({
      ...{ type: 'addRules', rules: [{ toolName: 'Bash', ruleContent }], behavior: 'allow', destination: 'session' },
    });
    const request = { subtype: 'explain_permission', tool_name: 'Bash', input: { command: 'touch x' } };
    expect(await client.control({ ...request, updates: [rule('touch:*')] })).toMatchObject({
      response: { behavior: 'allow', rule: 'Bash(touch:*)' },
    });
    expect(await client.control({ ...request, updates: [rule('rm:*')] })).toMatchObject({
      response: { behavior: 'ask' },
    });
    expect(await client.control(request)).toMatchObject({ response: { behavior: 'ask' } });
    expect(await client.control({ ...request, updates: [{ type: 'nothing' }] })).toMatchObject({ subtype: 'error' });
  });

  test('goes by the mode and the rules of this moment', async () => {
    const client = createHouse([]).connect({ allowDangerouslySkipPermissions: true });
    const request = { subtype: 'explain_permission', tool_name: 'Bash', input: { command: 'touch x' } };
    expect(await client.control(request)).toMatchObject({ response: { behavior: 'ask' } });
    await client.control({ subtype: 'set_permission_mode', mode: 'bypassPermissions' });
    expect(await client.control(request)).toMatchObject({ response: { behavior: 'allow', layer: 'mode' } });
  });

  test('a call that cannot be made is an error', async () => {
    const client = createHouse([]).connect();
    for (const [request, error] of [
      [{ tool_name: 'Bahs', input: {} }, 'There is no tool Bahs here. Did you mean Bash?'],
      [{ tool_name: 'Bash', input: { command: 5 } }, expect.stringContaining('not valid for Bash')],
      [{ tool_name: 'Bash', input: 'ls' }, expect.stringContaining('not valid for Bash')],
      [{ input: {} }, 'request.tool_name must be a string'],
    ] as const) {
      const answer = await client.control({ subtype: 'explain_permission', ...request });
      expect(answer).toMatchObject({ subtype: 'error', error, error_code: 'invalid_request' });
    }
  });
});

describe('[B-161] get_settings', () => {
  test('tells what is in force and where it stands, without the values of credentials', async () => {
    const house = createHouse([]);
    put(userFile(house), { model: 'opus', env: { MY_TOKEN: 'secret', A: '1' }, permissions: { deny: ['WebFetch'] } });
    put(join(house.dir, '.claude', 'settings.json'), { env: { B: '2' }, permissions: { deny: ['Read(.env)'] } });
    const settings = JSON.stringify({ model: 'haiku' });
    const { response } = await house.connect({ settings }).control({ subtype: 'get_settings' });
    expect(response).toMatchObject({
      effective: {
        model: 'haiku',
        env: { MY_TOKEN: '***', A: '1' },
        permissions: { deny: ['Read(.env)', 'WebFetch'] },
      },
      sources: [{ source: 'flagSettings' }, { source: 'projectSettings' }, { source: 'userSettings' }],
      applied: { model: expect.stringContaining('haiku'), permissionMode: 'default' },
      provenance: expect.arrayContaining([
        { key: 'model', value: 'haiku', scope: 'flag', source: '--settings', hasEffect: true },
        { key: 'env.MY_TOKEN', value: '***', scope: 'user', source: userFile(house), hasEffect: true },
      ]),
      ignored: [{ keys: ['env'], reason: 'the directory is not trusted' }],
      trust: 'untrusted',
    });
    expect(JSON.stringify(response)).not.toContain('secret');
    expect(hostRequests.get_settings.response.safeParse(response).success).toBe(true);
  });
});

describe('[B-081] apply_flag_settings', () => {
  const apply = (settings: unknown) => ({ subtype: 'apply_flag_settings', settings });

  test('rules hold from the next turn on, until they are taken back', async () => {
    const house = createHouse([touch, 'one', touch, 'two', touch, 'three']);
    const client = house.connect({ settings: '{"permissions":{"deny":["WebFetch"]}}' });
    expect(await client.ask('1')).toMatchObject({ permission_denials: [{ tool_name: 'Bash' }] });
    expect(await client.control(apply({ permissions: { allow: ['Bash(touch:*)'] } }))).toMatchObject({
      subtype: 'success',
      response: { without_effect: [] },
    });
    expect(await client.ask('2')).toMatchObject({ permission_denials: [] });
    expect(existsSync(join(house.dir, 'made'))).toBe(true);
    await client.control(apply({ permissions: null }));
    expect(await client.ask('3')).toMatchObject({ permission_denials: [{ tool_name: 'Bash' }] });
  });

  test('holds for a message that follows at once', async () => {
    const client = createHouse([touch, 'done']).connect();
    client.send({ type: 'control_request', request_id: 'x', request: apply({ permissions: { allow: ['Bash'] } }) });
    expect(await client.ask('go')).toMatchObject({ permission_denials: [] });
  });

  test('changes the model, and back', async () => {
    const client = createHouse(['a', 'b', 'c']).connect({ model: 'opus' });
    await client.ask('1');
    await client.control(apply({ model: 'haiku' }));
    await client.ask('2');
    await client.control(apply({ model: null }));
    await client.ask('3');
    const models = client.of('system/init').map(({ model }) => String(model).replace(/.*(opus|haiku).*/, '$1'));
    expect(models).toEqual(['opus', 'haiku', 'opus']);
  });

  test('changes the effort, and back to that of the launch', async () => {
    const house = createHouse(['a', 'b', 'c']);
    const client = house.connect({ effort: 'low', model: 'opus' });
    await client.ask('1');
    expect(await client.control(apply({ effortLevel: 'high' }))).toMatchObject({ response: { without_effect: [] } });
    await client.ask('2');
    expect(await client.control({ subtype: 'get_settings' })).toMatchObject({
      response: { applied: { effort: 'high' } },
    });
    await client.control(apply({ effortLevel: null }));
    await client.ask('3');
    expect(house.model.requests.map(({ effort }) => effort)).toEqual(['low', 'high', 'low']);
    expect(await client.control(apply({ effortLevel: 'enormous', model: 'haiku' }))).toMatchObject({
      subtype: 'error',
      error: expect.stringContaining('low, medium'),
      error_code: 'invalid_settings',
    });
  });

  test('sets the mode, but not one that was not permitted', async () => {
    const client = createHouse([]).connect();
    await client.control(apply({ permissions: { defaultMode: 'plan' } }));
    expect(await client.control({ subtype: 'get_settings' })).toMatchObject({
      response: { applied: { permissionMode: 'plan' } },
    });
    expect(await client.control(apply({ permissions: { defaultMode: 'bypassPermissions' } }))).toMatchObject({
      subtype: 'error',
      error_code: 'invalid_settings',
    });
  });

  test.each([
    ['a value of the wrong kind', { model: 5 }, /model must be a text/],
    ['a rule that is none', { permissions: { deny: ['Bash(rm'] } }, /never closed/],
    ['no object', 'x', /must be an object/],
  ])('%s changes nothing', async (_what, settings, error) => {
    const client = createHouse([]).connect({ settings: '{"permissions":{"deny":["Bash(rm:*)"]}}' });
    expect(await client.control(apply(settings))).toMatchObject({
      subtype: 'error',
      error: expect.stringMatching(error),
    });
    expect(await client.control({ subtype: 'get_settings' })).toMatchObject({
      response: { effective: { permissions: { deny: ['Bash(rm:*)'] } } },
    });
  });

  test('says what an open session cannot take over', async () => {
    const client = createHouse([]).connect();
    expect(await client.control(apply({ env: { A: '1' }, model: 'haiku', language: 'en' }))).toMatchObject({
      response: { without_effect: ['env', 'language'] },
    });
  });

  test('never lifts what a parent program forbids', async () => {
    const house = createHouse([touch, 'done']);
    const client = house.connect({ managedSettings: '{"permissions":{"deny":["Bash(touch:*)"]}}' });
    await client.control(apply({ permissions: { allow: ['Bash'], deny: [] } }));
    expect(await client.ask('go')).toMatchObject({ permission_denials: [{ tool_name: 'Bash' }] });
  });
});

describe('[B-161] update_settings', () => {
  const localFile = (house: House) => join(house.dir, '.claude', 'settings.local.json');
  const update = (source: string, settings: unknown) => ({ subtype: 'update_settings', source, settings });
  const read = (path: string) => JSON.parse(readFileSync(path, 'utf8'));

  test('changes the file key by key; its rules hold from the next turn on', async () => {
    const house = createHouse([touch, 'one', touch, 'two']);
    put(userFile(house), { language: 'en', model: 'opus', permissions: { deny: ['WebFetch'], ask: ['Write'] } });
    const client = house.connect();
    expect(await client.ask('1')).toMatchObject({ permission_denials: [{ tool_name: 'Bash' }] });
    const changes = { model: null, permissions: { allow: ['Bash(touch:*)'], ask: null } };
    expect(await client.control(update('userSettings', changes))).toMatchObject({ subtype: 'success' });
    expect(read(userFile(house))).toEqual({
      language: 'en',
      permissions: { deny: ['WebFetch'], allow: ['Bash(touch:*)'] },
    });
    expect(await client.ask('2')).toMatchObject({ permission_denials: [] });
  });

  test.each([
    ['a project without settings is trusted with what the user puts there', {}],
    ['with --trust the session goes on to answer for it', { trust: true }],
  ])('[G1] %s', async (_what, config) => {
    const house = createHouse([touch, 'done']);
    const client = house.connect(config);
    await client.control(update('localSettings', { permissions: { allow: ['Bash(touch:*)'] } }));
    expect(read(localFile(house))).toEqual({ permissions: { allow: ['Bash(touch:*)'] } });
    expect(await client.ask('go')).toMatchObject({ permission_denials: [] });
  });

  test('[R-13, G1] in a project that is not trusted it grants nothing', async () => {
    const house = createHouse([touch, 'done']);
    put(localFile(house), { env: { A: '1' } });
    const client = house.connect();
    await client.control(update('localSettings', { permissions: { allow: ['Bash(touch:*)'] } }));
    expect(await client.ask('go')).toMatchObject({ permission_denials: [{ tool_name: 'Bash' }] });
  });

  test.each([
    ['userSettings', { apiKeyHelper: 'touch ran' }, /apiKeyHelper cannot be changed over the wire/],
    ['userSettings', { env: { A: '1' } }, /env cannot/],
    ['userSettings', { hooks: {} }, /hooks cannot/],
    ['userSettings', { model: 5 }, /model must be a text/],
    ['userSettings', { permissions: { deny: ['Bash(rm'] } }, /never closed/],
    ['userSettings', 'x', /settings must be an object/],
    ['policySettings', {}, /source must be/],
    ['constructor', {}, /source must be/],
  ])('%s %j changes nothing', async (source, settings, error) => {
    const house = createHouse([]);
    put(userFile(house), '{ "model": "opus" }');
    expect(await house.connect().control(update(source, settings))).toMatchObject({
      subtype: 'error',
      error: expect.stringMatching(error),
    });
    expect(readFileSync(userFile(house), 'utf8')).toBe('{ "model": "opus" }');
  });
});
