import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runCli } from '../support/cli.ts';
import { makePlace, type Place } from '../support/place.ts';
import { put } from '../support/put.ts';

const userFile = (place: Place) => join(place.home, 'settings.json');
const projectFile = (place: Place) => join(place.cwd, '.claude', 'settings.json');
const localFile = (place: Place) => join(place.cwd, '.claude', 'settings.local.json');

const valuesIn = (path: string) => JSON.parse(readFileSync(path, 'utf8'));
const config = (place: Place, ...args: string[]) => runCli(['config', ...args], { place });

describe('heddle config list', () => {
  test('[B-106, SET-03] every setting with its file, lists item by item, and what is ignored', async () => {
    const place = await makePlace();
    put(userFile(place), { model: 'opus', env: { MY_SECRET: 'x1y2z3' }, permissions: { deny: ['WebFetch'] } });
    put(projectFile(place), { model: 'haiku', permissions: { deny: ['Read(.env)'], allow: ['Bash'] } });
    put(localFile(place), { permissions: { ask: ['Write'] } });
    const { code, stdout, stderr } = await config(place, 'list', '--json');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const report = JSON.parse(stdout);
    expect(
      report.settings.map((each: Record<string, unknown>) => [each.key, each.value, each.scope, each.source]),
    ).toEqual(
      expect.arrayContaining([
        ['model', 'opus', 'user', userFile(place)],
        ['env.MY_SECRET', '***', 'user', userFile(place)],
        ['permissions.deny', 'Read(.env)', 'project', projectFile(place)],
        ['permissions.deny', 'WebFetch', 'user', userFile(place)],
        ['permissions.ask', 'Write', 'local', localFile(place)],
      ]),
    );
    expect(report.settings).toHaveLength(5);
    expect(report.ignored).toEqual([
      { file: projectFile(place), keys: ['model', 'permissions.allow'], reason: 'the directory is not trusted' },
    ]);
    const text = (await config(place, 'list')).stdout;
    expect(text).toMatch(/^model +"opus" +user +\S+settings\.json$/m);
    expect(text).toContain('Ignored:\n');
    expect(text).not.toContain('x1y2z3');
  });

  test('[K53] a value that cannot be used is named and not listed; another can be set all the same', async () => {
    const place = await makePlace();
    put(userFile(place), { model: 7, effortLevel: 'low', permissions: { allow: ['Edit:*', 'Read'] } });
    const { code, stdout, stderr } = await config(place, 'list', '--json');
    const report = JSON.parse(stdout);
    expect(code).toBe(0);
    expect(report.settings.map(({ key, value }: { key: string; value: unknown }) => [key, value])).toEqual([
      ['effortLevel', 'low'],
      ['permissions.allow', 'Read'],
    ]);
    expect(report.faults).toEqual([
      `${userFile(place)}: model must be a text, and is 7. It was left out.`,
      expect.stringContaining("'Edit:*' is no permission rule"),
    ]);
    expect(stderr).toContain('heddle: ');
    expect((await config(place, 'set', 'effortLevel', 'high')).code).toBe(0);
    expect(await config(place, 'set', 'outputStyle', '7')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('outputStyle must be a text'),
    });
    expect(valuesIn(userFile(place))).toEqual({
      model: 7,
      effortLevel: 'high',
      permissions: { allow: ['Edit:*', 'Read'] },
    });
  });

  test('[OPT-39] the flags of a run count', async () => {
    const place = await makePlace();
    put(projectFile(place), { model: 'haiku', env: { ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' } });
    const run = await config(place, 'list', '--trust', '--settings', '{"effortLevel":"low"}');
    expect(run.stdout).toMatch(/^effortLevel +"low" +flag +--settings$/m);
    expect(run.stdout).toMatch(/^model +"haiku" +project/m);
    expect(run.stdout).toMatch(/env\.ANTHROPIC_BASE_URL \(a project does not decide where credentials are sent\)/);
  });

  test('without any setting it says where it looked', async () => {
    const place = await makePlace();
    expect((await config(place, 'list')).stdout).toContain(`${userFile(place)} (not there)`);
    expect(existsSync(place.home)).toBe(false);
  });

  test('[R-18] a file that cannot be read is an error', async () => {
    const place = await makePlace();
    put(userFile(place), '{oops');
    expect(await config(place, 'list')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('line 1'),
    });
  });
});

describe('heddle config get', () => {
  test('a text as it is, anything else as JSON', async () => {
    const place = await makePlace();
    put(userFile(place), { model: 'opus', permissions: { deny: ['A'] }, modelLimits: { 'a.b': { contextWindow: 5 } } });
    expect((await config(place, 'get', 'model')).stdout).toBe('opus\n');
    expect((await config(place, 'get', 'model', '--json')).stdout).toBe('"opus"\n');
    expect(JSON.parse((await config(place, 'get', 'permissions.deny')).stdout)).toEqual(['A']);
    expect((await config(place, 'get', 'modelLimits."a.b".contextWindow')).stdout).toBe('5\n');
    expect(await config(place, 'get', 'nothing')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'heddle: nothing is not set\n',
    });
  });
});

describe('heddle config set', () => {
  test.each([
    ['user', userFile],
    ['project', projectFile],
    ['local', localFile],
  ] as const)('[R-17] --scope %s: into that file, beside what is there', async (scope, file) => {
    const place = await makePlace();
    const first = await config(place, 'set', '--scope', scope, 'permissions.deny', '["WebFetch"]');
    expect(first).toMatchObject({ code: 0, stderr: '' });
    await config(place, 'set', 'model', 'opus', '--scope', scope);
    expect(valuesIn(file(place))).toEqual({ permissions: { deny: ['WebFetch'] }, model: 'opus' });
    expect(statSync(file(place)).mode & 0o777).toBe(0o600);
    expect((await config(place, 'get', 'model')).stdout).toBe('opus\n'); // what a user sets acts
  });

  test.each([
    [['model', '5'], /model must be a text/],
    [['permissions.deny', '["Bash(rm"]'], /never closed/],
    [['permissions.allow', 'Bash'], /must be a list of texts/],
    [['permissions.defaultMode', 'yolo'], /permissions.defaultMode must be one of default, .*, and is 'yolo'/],
    [['model.x', '1'], /model is no object/],
    [['__proto__.x', '1'], /__proto__/],
    [['--scope', 'other', 'model', 'x'], /Allowed choices are user, project, local/],
    [['model'], /VALUE is missing/],
  ])('[R-18] %j is refused before the file is touched', async (args, error) => {
    const place = await makePlace();
    put(userFile(place), '{ "model": "opus" }');
    expect(await config(place, 'set', ...args)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(error),
    });
    expect(readFileSync(userFile(place), 'utf8')).toBe('{ "model": "opus" }');
    expect(existsSync(`${userFile(place)}.lock`)).toBe(false);
  });

  test('[R-16] a credential is not said back', async () => {
    const place = await makePlace();
    const { code, stdout } = await config(place, 'set', 'env.MY_API_KEY', 'the-secret-itself');
    expect({ code, shown: stdout.slice(0, 24) }).toEqual({ code: 0, shown: 'env.MY_API_KEY = "***" i' });
    expect(valuesIn(userFile(place))).toEqual({ env: { MY_API_KEY: 'the-secret-itself' } });
  });

  test('a file that is no JSON is left alone', async () => {
    const place = await makePlace();
    put(userFile(place), '{oops');
    expect((await config(place, 'set', 'model', 'opus')).code).toBe(1);
    expect(readFileSync(userFile(place), 'utf8')).toBe('{oops');
  });

  test('says what may surprise: no effect, or another file wins', async () => {
    const place = await makePlace();
    expect((await config(place, 'set', '--force', 'modle', 'opus')).stderr).toContain(
      'modle has no effect in this version',
    );
    await config(place, 'set', '--scope', 'local', 'model', 'haiku');
    expect((await config(place, 'set', 'model', 'opus')).stderr).toContain(
      `another one wins: local (${localFile(place)})`,
    );
    put(projectFile(place), { env: {} });
    expect((await config(place, 'set', '--scope', 'project', 'env.A', '1')).stderr).toContain('it does not act');
  });

  test('twenty at once lose nothing', async () => {
    const place = await makePlace();
    const names = Array.from({ length: 20 }, (_, at) => `N${at}`);
    const runs = await Promise.all(names.map((name) => config(place, 'set', `env.${name}`, 'x')));
    expect(runs.filter(({ code }) => code !== 0)).toEqual([]);
    expect(Object.keys(valuesIn(userFile(place)).env).sort()).toEqual(names.sort());
  });
});

describe('heddle config unset', () => {
  test('takes a setting out of its file', async () => {
    const place = await makePlace();
    put(userFile(place), { model: 'opus', env: { A: '1' } });
    expect((await config(place, 'unset', 'env.A')).code).toBe(0);
    expect(valuesIn(userFile(place))).toEqual({ model: 'opus' });
    expect(await config(place, 'unset', 'env.A')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is not set in'),
    });
    expect((await config(place, 'unset', '--scope', 'local', 'env.A')).code).toBe(1);
    expect(existsSync(localFile(place))).toBe(false);
  });
});

describe('the words themselves', () => {
  test.each([['config'], ['trust'], ['permissions']])('heddle %s --help', async (command) => {
    const place = await makePlace();
    const { code, stdout } = await runCli([command, '--help'], { place });
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`^Usage: heddle ${command}`));
    expect(stdout).toContain('Exit codes:');
  });

  test('[K38] what is not known is an error', async () => {
    const place = await makePlace();
    for (const args of [
      ['config', 'lst'],
      ['config', 'list', '--model', 'x'],
      ['config', 'list', 'extra'],
    ]) {
      expect((await runCli(args, { place })).code).toBe(1);
    }
  });

  test.each(['config', 'trust', 'permissions'])('after a flag, %s is a prompt', async (word) => {
    const place = await makePlace();
    const { code, stdout } = await runCli(['-p', '--model', 'offline', word], { place });
    expect(code).toBe(0);
    expect(stdout).not.toContain('Usage:');
  });

  test('a prompt that begins with such a word is a prompt', async () => {
    const place = await makePlace();
    const { code, stdout } = await runCli(['trust me', '--model', 'offline'], { place });
    expect(code).toBe(0);
    expect(stdout).not.toContain('Usage:');
  });
});
