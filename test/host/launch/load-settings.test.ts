import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { setTrust } from '../../../src/config/trust-store.ts';
import { toolUse } from '../../../src/testing/script.ts';
import type { RunConfig } from '../../../src/wire/run-config.ts';
import { put } from '../../support/put.ts';
import { createHouse, type House } from '../support.ts';

const touch = toolUse('Bash', { command: 'touch made' });
const allowAll = { permissions: { allow: ['Bash'] } };

const userFile = (house: House) => join(house.dir, '..', '.heddle', 'settings.json');
const projectFile = (house: House) => join(house.dir, '.claude', 'settings.json');
const localFile = (house: House) => join(house.dir, '.claude', 'settings.local.json');

/** Whether a command that needs permission ran. */
async function ran(house: House, config: RunConfig = {}): Promise<boolean> {
  const client = house.connect(config);
  await client.ask('go');
  await client.end();
  return existsSync(join(house.dir, 'made'));
}

describe('[SET-03, K1] settings files', () => {
  test('[TYP-07] those of the user act by themselves', async () => {
    const house = createHouse([touch, 'done']);
    put(userFile(house), allowAll);
    expect(await ran(house)).toBe(true);
  });

  test('[SET-01, OPT-30] none is read where none is asked for', async () => {
    const house = createHouse([touch, 'done']);
    put(userFile(house), '{broken');
    expect(await ran(house, { settingSources: [] })).toBe(false);
  });

  test('[TYP-08, TYP-09] a host that names the project answers for it', async () => {
    for (const [file, source] of [
      [projectFile, 'project'],
      [localFile, 'local'],
    ] as const) {
      const house = createHouse([touch, 'done']);
      put(file(house), allowAll);
      expect(await ran(house, { settingSources: [source] })).toBe(true);
    }
  });

  test('[R-18] a list of rules with a misspelt name is said', async () => {
    const house = createHouse(['hi']);
    put(userFile(house), { permission: {}, permissions: { denny: ['Bash'], Deny: ['Bash'], deny: [] }, mode: 'x' });
    await ran(house);
    expect(house.logs.map(({ message }) => message).filter((text) => text.includes('Did you mean'))).toEqual([
      expect.stringMatching(/settings\.json: permission has no effect. Did you mean permissions\?/),
      expect.stringMatching(/: denny has no effect. Did you mean deny\?/),
      expect.stringMatching(/: Deny has no effect. Did you mean deny\?/),
    ]);
  });

  test('[R-3] a deny of any scope beats an allow of any other', async () => {
    const house = createHouse([touch, 'done']);
    put(userFile(house), { permissions: { deny: ['Bash(touch:*)'] } });
    expect(await ran(house, { settings: JSON.stringify(allowAll), allowedTools: ['Bash'] })).toBe(false);
  });

  test('[SET-04] what the launch says wins over a file', async () => {
    const house = createHouse(['hi']);
    put(userFile(house), { model: 'opus', env: { ANTHROPIC_DEFAULT_HAIKU_MODEL: 'claude-haiku-x' } });
    const fromFile = house.connect();
    await fromFile.ask('hi');
    expect(fromFile.of('system/init')).toMatchObject([{ model: 'claude-opus-4-6' }]);
    const told = createHouse(['hi']);
    put(userFile(told), { model: 'opus', env: { ANTHROPIC_DEFAULT_HAIKU_MODEL: 'claude-haiku-x' } });
    const fromFlag = told.connect({ model: 'haiku' });
    await fromFlag.ask('hi');
    expect(fromFlag.of('system/init')).toMatchObject([{ model: 'claude-haiku-x' }]);
  });

  test('names and limits of models may be set', async () => {
    const house = createHouse(['hi']);
    put(userFile(house), {
      model: 'fast',
      modelAliases: { fast: 'openai/qwen' },
      modelLimits: { 'openai/qwen': { contextWindow: 4000 } },
    });
    const { modelUsage } = await house.connect().ask('hi');
    expect(modelUsage).toMatchObject({ 'openai/qwen': { contextWindow: 4000 } });
  });

  test.each([
    [userFile, {}],
    [projectFile, { trust: true }],
    [localFile, { settingSources: ['user', 'local'] }],
  ])('[R-18, K53] one that cannot be read keeps everything from starting', async (file, config) => {
    const house = createHouse([]);
    put(file(house), '{\n  "permissions": oops }');
    const exit = await house.connect(config).end();
    expect(exit).toMatchObject({ code: 1, stderr: expect.stringMatching(/settings(\.local)?\.json, line 2/) });
  });

  test.each([projectFile, localFile])('[K53] one of an untrusted project is said and left out', async (file) => {
    const house = createHouse([touch, 'done']);
    put(userFile(house), { permissions: { allow: ['Bash'] } });
    put(file(house), '{\n  "permissions": oops }');
    expect(await ran(house)).toBe(true);
    expect(house.logs).toContainEqual({
      level: 'warn',
      message: expect.stringMatching(
        /settings(\.local)?\.json, line 2.*The directory is not trusted, so the run starts without this file\./,
      ),
    });
  });

  test('[K53, R-18] one that is broken while the session runs takes nothing back', async () => {
    const house = createHouse(['hi', touch, 'done']);
    put(userFile(house), { permissions: { allow: ['Bash'] } });
    put(projectFile(house), { permissions: { deny: ['Bash(touch:*)'] } });
    const client = house.connect();
    await client.ask('hi');
    put(projectFile(house), '{broken');
    await client.ask('go');
    expect(existsSync(join(house.dir, 'made'))).toBe(false);
    expect(house.logs).toContainEqual({
      level: 'warn',
      message: expect.stringContaining('The settings read before stay in force.'),
    });
  });

  test.each(['', ' ', ','])('[R-18] a rule that says nothing (%j) keeps everything from starting', async (rule) => {
    const house = createHouse([]);
    put(userFile(house), { permissions: { deny: [rule] } });
    const exit = await house.connect().end();
    expect(exit).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('permissions.deny must be a list of texts'),
    });
  });
});

describe('odd places', () => {
  test('a .claude that is a file, not a folder, holds no settings', async () => {
    const house = createHouse(['hi']);
    writeFileSync(join(house.dir, '.claude'), 'x');
    expect(await house.connect().ask('hi')).toMatchObject({ result: 'hi' });
  });

  test.each(['/dev/zero', '/dev/full'])('[R-12] settings that are a link to %s hold nothing up', async (device) => {
    const house = createHouse([]);
    mkdirSync(join(house.dir, '.claude'));
    symlinkSync(device, projectFile(house));
    expect(await house.connect({ trust: true }).end()).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('not a regular file'),
    });
  });

  test('a directory of the settings that is gone is said and left out; ~ is the home', async () => {
    const house = createHouse(['hi']);
    mkdirSync(join(house.dir, '..', 'other'));
    put(userFile(house), { permissions: { additionalDirectories: ['~/other', '/no/such/place'] } });
    const client = house.connect();
    await client.ask('hi');
    expect(house.logs).toContainEqual({ level: 'warn', message: expect.stringContaining('/no/such/place') });
    expect(JSON.stringify(house.model.requests[0]?.messages)).toContain(
      `Additional directory: ${join(house.dir, '..', 'other')}`,
    );
  });

  test('[K-7] hooks in a file that cannot be read are said, with where they stand', async () => {
    const house = createHouse(['hi']);
    put(userFile(house), { hooks: { PreToolUse: [{}] } });
    await house.connect().ask('hi');
    expect(house.logs).toContainEqual({
      level: 'warn',
      message: `${userFile(house)}: hooks.PreToolUse[0].hooks must be a list`,
    });
  });
});

describe('[R-12, R-13, G1] a project that nobody trusts', () => {
  test('grants nothing, which is said on stderr and in init', async () => {
    const house = createHouse([touch, 'done']);
    put(projectFile(house), { ...allowAll, env: { A: '1' } });
    const client = house.connect();
    await client.ask('go');
    expect(existsSync(join(house.dir, 'made'))).toBe(false);
    expect(client.of('system/init')[0]?.trust).toEqual({
      trusted: false,
      state: 'untrusted',
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      ignored: [`${projectFile(house)}: env`, `${projectFile(house)}: permissions.allow`],
    });
    expect(house.logs).toContainEqual({ level: 'warn', message: expect.stringContaining('heddle trust') });
  });

  test.each(['bypassPermissions', 'acceptEdits'])('cannot set the mode %s', async (defaultMode) => {
    const house = createHouse([touch, 'done']);
    put(localFile(house), { permissions: { defaultMode } });
    expect(await ran(house)).toBe(false);
  });

  test('may still forbid', async () => {
    const house = createHouse([touch, 'done']);
    put(projectFile(house), { permissions: { deny: ['Bash(touch:*)'] } });
    expect(await ran(house, { allowedTools: ['Bash'] })).toBe(false);
  });

  test('acts with --trust, or once the user has trusted it, until it changes', async () => {
    const house = createHouse([touch, 'done', touch, 'done', touch, 'done']);
    put(projectFile(house), allowAll);
    const home = join(house.dir, '..', '.heddle');
    await setTrust(house.dir, home, { isTrusted: true, now: 0 });
    expect(await ran(house)).toBe(true);
    const changed = createHouse([touch, 'done']);
    put(projectFile(changed), allowAll);
    await setTrust(changed.dir, join(changed.dir, '..', '.heddle'), { isTrusted: true, now: 0 });
    put(projectFile(changed), { ...allowAll, env: { A: '2' } });
    expect(await ran(changed)).toBe(false);
    expect(await ran(createWith(allowAll), { trust: true })).toBe(true);
  });

  test('[R-14, G2] never moves the endpoint, trusted or not', async () => {
    const house = createHouse(['hi']);
    put(projectFile(house), {
      env: { ANTHROPIC_BASE_URL: 'http://127.0.0.1:9', FINE: 'yes' },
      apiKeyHelper: 'cat key',
    });
    const client = house.connect({ trust: true });
    await client.ask('hi');
    expect(client.of('system/init')[0]?.trust).toMatchObject({
      trusted: true,
      ignored: [`${projectFile(house)}: env.ANTHROPIC_BASE_URL`, `${projectFile(house)}: apiKeyHelper`],
    });
  });
});

function createWith(project: object): House {
  const house = createHouse([touch, 'done']);
  put(projectFile(house), project);
  return house;
}

describe('[PRM-14] an update for a file', () => {
  test.each([
    ['userSettings', userFile],
    ['projectSettings', projectFile],
    ['localSettings', localFile],
  ] as const)('%s: is kept there, beside what was there', async (destination, file) => {
    const house = createHouse([touch, 'done']);
    put(file(house), { language: 'en', permissions: { deny: ['WebFetch'] } });
    const rules = [{ toolName: 'Bash', ruleContent: 'touch:*' }];
    const client = house.connect(
      { permissionPromptTool: 'stdio' },
      {
        answer: () => ({
          behavior: 'allow',
          updatedPermissions: [{ type: 'addRules', behavior: 'allow', rules, destination }],
        }),
      },
    );
    await client.ask('go');
    expect(existsSync(join(house.dir, 'made'))).toBe(true);
    expect(JSON.parse(readFileSync(file(house), 'utf8'))).toEqual({
      language: 'en',
      permissions: { deny: ['WebFetch'], allow: ['Bash(touch:*)'] },
    });
  });
});

describe('[R-12, R-13, G1] trust in a session that is running', () => {
  const homeOf = (house: House) => join(house.dir, '..', '.heddle');
  const denied = { permission_denials: [{ tool_name: 'Bash' }] };

  test('is given and taken back in another terminal: it holds from the next turn on', async () => {
    const house = createHouse([touch, 'one', touch, 'two', touch, 'three']);
    put(projectFile(house), allowAll);
    const client = house.connect();
    expect(await client.ask('1')).toMatchObject(denied);
    await setTrust(house.dir, homeOf(house), { isTrusted: true, now: 0 });
    expect(await client.ask('2')).toMatchObject({ permission_denials: [] });
    await setTrust(house.dir, homeOf(house), { isTrusted: false, now: 0 });
    expect(await client.ask('3')).toMatchObject(denied);
  });

  test('ends when the file of servers changes', async () => {
    const house = createHouse([touch, 'one', touch, 'two']);
    put(projectFile(house), allowAll);
    await setTrust(house.dir, homeOf(house), { isTrusted: true, now: 0 });
    const client = house.connect();
    expect(await client.ask('1')).toMatchObject({ permission_denials: [] });
    put(join(house.dir, '.mcp.json'), { mcpServers: { evil: { command: 'x' } } });
    expect(await client.ask('2')).toMatchObject(denied);
    expect(client.of('system/init').at(-1)?.trust).toMatchObject({ state: 'changed' });
  });

  test.each([
    ['--trust', { trust: true }],
    ['a named source', { settingSources: ['project', 'local'] }],
  ])('%s answers for the files of the start, not for what becomes of them', async (_what, config) => {
    const house = createHouse([touch, 'one', touch, 'two', touch, 'three']);
    put(projectFile(house), { permissions: { deny: ['WebFetch'] } });
    const client = house.connect(config);
    expect(await client.ask('1')).toMatchObject(denied);
    put(projectFile(house), allowAll);
    expect(await client.ask('2')).toMatchObject(denied);
    expect(client.of('system/init').at(-1)?.trust).toMatchObject({ trusted: false, state: 'changed' });
    expect(house.logs).toContainEqual({ level: 'warn', message: expect.stringContaining('has changed since') });
    await setTrust(house.dir, homeOf(house), { isTrusted: true, now: 0 });
    expect(await client.ask('3')).toMatchObject({ permission_denials: [] });
  });

  test('with --trust a file that was not there at the start may only forbid', async () => {
    const house = createHouse([touch, 'one', touch, 'two']);
    const client = house.connect({ trust: true, allowedTools: ['Bash'] });
    expect(await client.ask('1')).toMatchObject({ permission_denials: [] });
    put(localFile(house), { permissions: { deny: ['Bash(touch:*)'], defaultMode: 'acceptEdits' } });
    expect(await client.ask('2')).toMatchObject(denied);
    expect(client.of('system/init').at(-1)?.trust).toMatchObject({
      ignored: [`${localFile(house)}: permissions.defaultMode`],
    });
  });

  test('with --trust, what the user grants through the session itself stays in force', async () => {
    const house = createHouse([touch, 'one', touch, 'two']);
    put(projectFile(house), { permissions: { allow: ['Bash(ls:*)'] } });
    const rules = [{ toolName: 'Bash', ruleContent: 'touch:*' }];
    const update = { type: 'addRules', behavior: 'allow', rules, destination: 'projectSettings' };
    let asked = 0;
    const answer = () => {
      asked++;
      return { behavior: 'allow', updatedPermissions: [update] };
    };
    const client = house.connect({ permissionPromptTool: 'stdio', trust: true }, { answer });
    await client.ask('1');
    await client.ask('2');
    expect(asked).toBe(1);
    expect(client.of('system/init').at(-1)?.trust).toMatchObject({ trusted: true, ignored: [] });
  });
});

describe('a file that changes', () => {
  test('holds from the next turn on; one that breaks is said, and what it said stays', async () => {
    const house = createHouse([touch, 'one', touch, 'two', touch, 'three']);
    put(userFile(house), allowAll);
    const client = house.connect();
    await client.ask('1');
    put(userFile(house), { permissions: { deny: ['Bash(touch:*)'] } });
    expect(await client.ask('2')).toMatchObject({ permission_denials: [{ tool_name: 'Bash' }] });
    put(userFile(house), '{oops');
    expect(await client.ask('3')).toMatchObject({ permission_denials: [{ tool_name: 'Bash' }] });
    expect(house.logs).toContainEqual({ level: 'warn', message: expect.stringContaining('stay in force') });
  });
});
