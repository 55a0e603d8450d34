import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { trustOf } from '../../../src/config/trust-store.ts';
import { toolUse } from '../../../src/testing/script.ts';
import type { JsonObject } from '../../../src/util/json.ts';
import type { RunConfig } from '../../../src/wire/run-config.ts';
import { put } from '../../support/put.ts';
import { type Client, createHouse, type House, resultsOf } from '../support.ts';

const touch = toolUse('Bash', { command: 'touch made' });
const localFile = (house: House) => join(house.dir, '.claude', 'settings.local.json');
const homeOf = (house: House) => join(house.dir, '..', '.heddle');

/** Grants `touch` for the local settings when asked in the first turn; how often it was asked in three turns. */
async function questions(house: House, config: RunConfig = {}): Promise<number> {
  let asked = 0;
  const rules = [{ toolName: 'Bash', ruleContent: 'touch:*' }];
  const update = { type: 'addRules', behavior: 'allow', rules, destination: 'localSettings' };
  const answer = () => {
    asked++;
    return { behavior: 'allow', updatedPermissions: [update] };
  };
  const client = house.connect({ permissionPromptTool: 'stdio', ...config }, { answer });
  for (const turn of ['1', '2', '3']) await client.ask(turn);
  return asked;
}

describe('[PRM-03, PRM-14] what a user grants for a file of the project', () => {
  const script = [touch, 'one', touch, 'two', touch, 'three'];

  test('is trusted where there were no settings before: it is all theirs', async () => {
    const house = createHouse(script);
    expect(await questions(house)).toBe(1);
    expect(JSON.parse(readFileSync(localFile(house), 'utf8'))).toEqual({ permissions: { allow: ['Bash(touch:*)'] } });
    expect(trustOf(house.dir, homeOf(house))).toBe('trusted');
  });

  test('[R-13] holds for the session where the project is not trusted, and takes nothing else of it along', async () => {
    const house = createHouse(script);
    put(join(house.dir, '.claude', 'settings.json'), { permissions: { allow: ['Write'] } });
    expect(await questions(house)).toBe(1);
    expect(trustOf(house.dir, homeOf(house))).toBe('untrusted');
    const explained = await house.connect().control({
      subtype: 'explain_permission',
      tool_name: 'Bash',
      input: { command: 'touch x' },
    });
    expect(explained).toMatchObject({ response: { behavior: 'ask' } });
  });

  test('is trusted in two files at once', async () => {
    const house = createHouse(asking);
    const rule = { toolName: 'Bash', ruleContent: 'touch:*' };
    const files = ['localSettings', 'projectSettings'];
    const { client } = await update(
      house,
      files.map((file) => ruleUpdate('addRules', file, rule)),
    );
    expect([localFile(house), projectFile(house)].map(read)).toEqual(
      files.map(() => ({ permissions: { allow: ['Bash(touch:*)'] } })),
    );
    expect(trustOf(house.dir, homeOf(house))).toBe('trusted');
    expect(await explained(client, 'Bash', { command: 'touch x' })).toMatchObject({ behavior: 'allow' });
  });

  test('holds for the session where that file is not read', async () => {
    const house = createHouse(script);
    expect(await questions(house, { settingSources: [] })).toBe(1);
  });
});

/** A session whose host answers the question about `t0` with these updates; the result of `t0`, and the session. */
async function update(house: House, updates: unknown[], config: RunConfig = {}) {
  const answer = ({ tool_use_id }: JsonObject) =>
    tool_use_id === 't0' ? { behavior: 'allow', updatedPermissions: updates } : { behavior: 'deny', message: 'no' };
  const client = house.connect({ permissionPromptTool: 'stdio', ...config }, { answer });
  await client.ask('go');
  return { client, said: String(resultsOf(client.lines)[0]?.content) };
}

async function explained(client: Client, tool_name: string, input: JsonObject): Promise<JsonObject> {
  const { response } = await client.control({ subtype: 'explain_permission', tool_name, input });
  return response as JsonObject;
}

const userFile = (house: House) => join(homeOf(house), 'settings.json');
const projectFile = (house: House) => join(house.dir, '.claude', 'settings.json');
const isWritten = (house: House) => existsSync(join(house.dir, 'asked.txt'));
const read = (path: string) => JSON.parse(readFileSync(path, 'utf8'));
const asking = [toolUse('Write', { file_path: 'asked.txt', content: 'x' }, 't0'), 'done'];
const ruleUpdate = (type: string, destination: string, ...rules: object[]) => ({
  ...{ type, behavior: 'allow', destination, rules },
});

describe('what is written to a file', () => {
  test('[PRM-13] reads back as the rule that was given, whatever stands in it', async () => {
    const house = createHouse(asking);
    const rules = [
      { toolName: 'Bash', ruleContent: 'echo :)' },
      { toolName: 'Bash', ruleContent: '*' },
    ];
    await update(house, [ruleUpdate('addRules', 'userSettings', ...rules)]);
    expect(read(userFile(house))).toEqual({ permissions: { allow: ['Bash(echo :\\))', 'Bash'] } });
    const { client } = await update(createHouse(asking, { env: { HOME: join(house.dir, '..') } }), []);
    expect(await explained(client, 'Bash', { command: 'echo :)' })).toMatchObject({ where: expect.anything() });
  });

  test('[PRM-09] is found again in another spelling, and in a text with others', async () => {
    const house = createHouse(asking);
    put(userFile(house), { permissions: { allow: ['Agent(helper)', 'Bash( touch:* )', 'Read, Bash(ls), Glob'] } });
    const gone = [
      { toolName: 'Task', ruleContent: 'helper' },
      { toolName: 'Bash', ruleContent: 'touch:*' },
      { toolName: 'Bash', ruleContent: 'ls' },
    ];
    await update(house, [ruleUpdate('removeRules', 'userSettings', ...gone)]);
    expect(read(userFile(house))).toEqual({ permissions: { allow: ['Read', 'Glob'] } });
  });

  test('[PRM-07, PRM-09] stays untouched when it says so already; nothing is made for nothing', async () => {
    const house = createHouse(asking);
    put(userFile(house), { permissions: { allow: ['Bash( touch:* )'] } });
    const before = statSync(userFile(house));
    const rule = { toolName: 'Bash', ruleContent: 'touch:*' };
    await update(house, [
      ruleUpdate('addRules', 'userSettings', rule),
      ruleUpdate('removeRules', 'localSettings', rule),
    ]);
    expect(isWritten(house)).toBe(true);
    expect(statSync(userFile(house))).toMatchObject({ ino: before.ino, mtimeMs: before.mtimeMs });
    expect(existsSync(join(house.dir, '.claude'))).toBe(false);
  });

  test('[PRM-11, PRM-12] a directory means the same in the session and in the file', async () => {
    const house = createHouse(asking);
    const base = join(house.dir, '..');
    for (const name of ['near', 'far', 'home']) put(join(base, name, 'f.txt'), name);
    const add = (destination: string, ...directories: string[]) => ({
      type: 'addDirectories',
      destination,
      directories,
    });
    const { client } = await update(house, [add('userSettings', '../near', '~/home'), add('localSettings', '../far')]);
    for (const name of ['near', 'far', 'home']) {
      expect(await explained(client, 'Read', { file_path: join(base, name, 'f.txt') })).toMatchObject({
        behavior: 'allow',
      });
    }
    // The user's settings hold everywhere: a path in them is not relative to this project.
    expect(read(userFile(house))).toEqual({
      permissions: { additionalDirectories: [join(base, 'near'), '~/home'] },
    });
    expect(read(localFile(house))).toEqual({ permissions: { additionalDirectories: ['../far'] } });
  });

  test('[PRM-12] a directory is found again in another spelling', async () => {
    const house = createHouse(asking);
    put(userFile(house), { permissions: { additionalDirectories: ['~/home', '../near', '/elsewhere'] } });
    const base = join(house.dir, '..');
    const directories = [join(base, 'home'), join(base, 'near')];
    await update(house, [{ type: 'removeDirectories', destination: 'userSettings', directories }]);
    expect(read(userFile(house))).toEqual({ permissions: { additionalDirectories: ['/elsewhere'] } });
  });
});

describe('[PRM-08, PRM-09, PRM-14] updates for a file that is not in force', () => {
  const rule = { toolName: 'Bash', ruleContent: 'touch:*' };
  const call = [toolUse('Write', { file_path: 'more.txt', content: 'x' }, 't1'), 'done'];
  const denyRm = { ...ruleUpdate('addRules', 'session', { toolName: 'Bash', ruleContent: 'rm:*' }), behavior: 'deny' };

  test.each([
    ['removeRules', ruleUpdate('removeRules', 'userSettings', rule)],
    ['replaceRules', ruleUpdate('replaceRules', 'userSettings')],
  ])('%s takes back what came for it, and nothing of the session', async (_type, later) => {
    const house = createHouse([...asking, ...call]);
    const updates: Record<string, unknown[]> = {
      t0: [ruleUpdate('addRules', 'userSettings', rule), denyRm],
      t1: [later],
    };
    const answer = ({ tool_use_id }: JsonObject) => ({
      behavior: 'allow',
      updatedPermissions: updates[String(tool_use_id)],
    });
    const client = house.connect({ permissionPromptTool: 'stdio', settingSources: [] }, { answer });
    await client.ask('go');
    expect(await explained(client, 'Bash', { command: 'touch x' })).toMatchObject({
      behavior: 'allow',
      where: expect.stringContaining('settings of the user'),
    });
    await client.ask('more');
    expect(await explained(client, 'Bash', { command: 'touch x' })).toMatchObject({ behavior: 'ask' });
    expect(await explained(client, 'Bash', { command: 'rm x' })).toMatchObject({ behavior: 'deny' });
    expect(read(userFile(house))).toEqual({ permissions: { allow: [] } });
  });

  test('[G3] a deny rule of an untrusted project is in force, so that it can be taken back', async () => {
    const house = createHouse(asking);
    put(projectFile(house), { permissions: { deny: ['Bash(touch:*)'] } });
    const { client } = await update(house, [
      { ...ruleUpdate('removeRules', 'projectSettings', rule), behavior: 'deny' },
    ]);
    expect(await explained(client, 'Bash', { command: 'touch x' })).toMatchObject({ behavior: 'ask' });
    expect(trustOf(house.dir, homeOf(house))).toBe('untrusted');
  });
});

describe('a file that cannot take an update', () => {
  const rule = { toolName: 'Bash', ruleContent: 'touch:*' };
  const acceptEdits = { type: 'setMode', mode: 'acceptEdits', destination: 'session' };

  test.each([
    ['is no JSON', '{ "permissions": '],
    ['has something else in that place', '{"permissions":{"allow":"Read"}}'],
    ['has something else in the place of permissions', '{"permissions":["Read"]}'],
  ])('because it %s: nothing changes anywhere, and the call is denied with the reason', async (_why, text) => {
    const house = createHouse(asking);
    mkdirSync(dirname(localFile(house)), { recursive: true });
    writeFileSync(localFile(house), text);
    const updates = [ruleUpdate('addRules', 'userSettings', rule), ruleUpdate('addRules', 'localSettings', rule)];
    const { client, said } = await update(house, [...updates, acceptEdits], { settingSources: ['user'] });
    expect(said).toContain('The permission update was refused');
    expect(said).toContain(localFile(house));
    expect(isWritten(house)).toBe(false);
    expect(existsSync(userFile(house))).toBe(false);
    expect(readFileSync(localFile(house), 'utf8')).toBe(text);
    expect(await explained(client, 'Bash', { command: 'touch x' })).toMatchObject({ behavior: 'ask' });
    expect(client.of('system/status')).toEqual([]);
  });

  test('[PRM-14] fails after another was written: that is said, and only what was written is in force', async () => {
    const house = createHouse([...asking, 'again']);
    house.file('.claude', 'a file where a directory should be');
    const mkdir = { toolName: 'Bash', ruleContent: 'mkdir:*' };
    const updates = [ruleUpdate('addRules', 'projectSettings', rule), ruleUpdate('addRules', 'userSettings', mkdir)];
    const { client, said } = await update(house, [...updates, acceptEdits]);
    expect(said).toContain(`Stored, and in force: ${userFile(house)}. Not stored: ${projectFile(house)}.`);
    expect(house.logs).toContainEqual({ level: 'warn', message: expect.stringContaining('Not stored:') });
    expect(isWritten(house)).toBe(false);
    expect(read(userFile(house))).toEqual({ permissions: { allow: ['Bash(mkdir:*)'] } });
    for (const turn of ['now', 'after the next look at the files']) {
      expect(await explained(client, 'Bash', { command: 'mkdir x' }), turn).toMatchObject({ behavior: 'allow' });
      expect(await explained(client, 'Bash', { command: 'touch x' }), turn).toMatchObject({ behavior: 'ask' });
      await client.ask(turn);
    }
    expect(client.of('system/status')).toEqual([]);
  });

  test('because nobody can tell whether the project is trusted: that is said, and nothing is in force', async () => {
    const house = createHouse(asking);
    put(join(homeOf(house), 'trust.json'), '{oops');
    put(localFile(house), {});
    const updates = [ruleUpdate('addRules', 'localSettings', rule)];
    const { client, said } = await update(house, updates, { settingSources: ['user'] });
    expect(said).toMatch(/trust\.json.*Not stored: .*settings\.local\.json/);
    expect(read(localFile(house))).toEqual({});
    expect(await explained(client, 'Bash', { command: 'touch x' })).toMatchObject({ behavior: 'ask' });
  });
});
