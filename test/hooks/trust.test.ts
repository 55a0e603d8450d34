import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toolUse } from '../../src/testing/script.ts';
import { createHouse, resultsOf } from '../host/support.ts';
import { isAlive } from '../support/processes.ts';
import { command, printing, settingsWith } from './support.ts';

const touch = toolUse('Bash', { command: 'touch canary' });
const BYPASS = { permissionMode: 'bypassPermissions' };
const DENY = {
  hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason: 'no' },
};
const ALLOW = { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'allow' } };

describe('[K-1] what a hook denies does not run, and the model is told why', () => {
  test.each([
    ['exit 2', [command('echo because >&2; exit 2')], /because/],
    ['JSON', [command(printing(DENY))], /^no$/],
    ['one denial among several', [command(printing(ALLOW)), command(printing(DENY)), command('exit 1')], /^no$/],
  ])('%s', async (_name, hooks, why) => {
    const house = createHouse([touch, 'done']);
    const client = house.connect({ ...BYPASS, settings: settingsWith({ PreToolUse: hooks }) });
    await client.ask('go');
    expect(existsSync(join(house.dir, 'canary'))).toBe(false);
    expect(resultsOf(client.lines)[0]).toMatchObject({ is_error: true, content: expect.stringMatching(why) });
  });
});

describe('[K-2] a hook that fails does not hold up the turn', () => {
  const FAILURES = {
    'exit 1': 'exit 1',
    'a crash': 'kill -9 $$',
    garbage: 'echo "{not json"',
    'JSON that is no answer': printing({ decision: 'perhaps' }),
    'a closed stdin': 'exec <&-; exit 0',
    'no such program': 'no-such-program-here',
  };

  test.each(Object.entries(FAILURES))('%s', async (_name, text) => {
    const house = createHouse([touch, 'done']);
    const settings = settingsWith({
      PreToolUse: [command(text)],
      UserPromptSubmit: [command(text)],
      Stop: [command(text)],
    });
    const result = await house.connect({ ...BYPASS, settings }).ask('go');
    expect(result).toMatchObject({ subtype: 'success', result: 'done' });
    expect(existsSync(join(house.dir, 'canary'))).toBe(true);
  });

  test.each(Object.entries(FAILURES).filter(([name]) => name !== 'a closed stdin'))(
    '[B-078] %s closes where onFailure says so, and never opens a rule',
    async (_name, text) => {
      const house = createHouse([touch, 'done']);
      const settings = settingsWith({ PreToolUse: [command(text, { onFailure: 'block' })] });
      await house.connect({ ...BYPASS, settings }).ask('go');
      expect(existsSync(join(house.dir, 'canary'))).toBe(false);
      expect(house.logs).toContainEqual({ level: 'warn', message: expect.stringContaining('counts as an objection') });
    },
  );
});

describe('[K-3] a time-out bounds every event and ends the whole tree of the hook', () => {
  test.each(['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'Stop', 'SessionEnd'])(
    '%s',
    async (event) => {
      const house = createHouse([touch, 'done']);
      const pids = join(house.dir, 'pids');
      const text = `(sleep 60 & echo $! >> ${pids}); sleep 60 & echo $! >> ${pids}; wait`;
      const client = house.connect({
        ...BYPASS,
        settings: settingsWith({ [event]: [command(text, { timeout: 0.3 })] }),
      });
      await client.ask('go');
      await client.end();
      const left = readFileSync(pids, 'utf8').split('\n').filter(Boolean).map(Number);
      expect(left.length).toBeGreaterThanOrEqual(2);
      expect(left.filter((pid) => isAlive(pid))).toEqual([]);
    },
  );
});

test('[K-4] 50 MB of output reach neither the model nor the lines', async () => {
  const house = createHouse(['hi']);
  const flood = command('head -c 50000000 /dev/zero | tr "\\0" x');
  const client = house.connect({ settings: settingsWith({ UserPromptSubmit: [flood], SessionStart: [flood] }) });
  await client.ask('go');
  expect(JSON.stringify(house.model.requests).length).toBeLessThan(100_000);
  expect(Math.max(...client.lines.map((line) => JSON.stringify(line).length))).toBeLessThan(1_000_000);
});

test('[K-5] a Stop hook that blocks for ever is bounded', async () => {
  const house = createHouse(() => 'done');
  const client = house.connect({ settings: settingsWith({ Stop: [command('echo more >&2; exit 2')] }) });
  expect(await client.ask('go')).toMatchObject({ subtype: 'success' });
  expect(house.model.requests.length).toBeLessThanOrEqual(60);
  expect(house.logs).toContainEqual({ level: 'warn', message: expect.stringContaining('has objected') });
});

test('[K-7, K5] bad matchers, shapes and events are said, and the other hooks apply', async () => {
  const house = createHouse([touch, 'done']);
  const hooks = {
    NoSuchEvent: [{ hooks: [command('true')] }],
    PreToolUze: [],
    PreToolUse: [
      { matcher: '(', hooks: [command('true')] },
      'nothing',
      { hooks: [{ type: 'http', url: 'x' }, { type: 'command' }, command(printing(DENY))] },
    ],
    Stop: {},
  };
  const client = house.connect({ ...BYPASS, settings: JSON.stringify({ hooks }) });
  await client.ask('go');
  expect(existsSync(join(house.dir, 'canary'))).toBe(false);
  const said = house.logs.filter(({ level }) => level === 'warn').map(({ message }) => message);
  expect(said).toEqual([
    expect.stringContaining('hooks.NoSuchEvent is no event'),
    expect.stringContaining('Did you mean PreToolUse?'),
    expect.stringContaining('"(" is no regular expression'),
    expect.stringContaining('hooks.PreToolUse[1] must be an object'),
    expect.stringContaining('url must be an http or https address'),
    expect.stringContaining('command must be a text'),
    expect.stringContaining('hooks.Stop must be a list'),
  ]);
});

describe('[G1] the hooks of a project', () => {
  const put = (dir: string, marker: string) => {
    mkdirSync(join(dir, '.claude'));
    writeFileSync(join(dir, '.claude/settings.json'), settingsWith({ UserPromptSubmit: [command(`touch ${marker}`)] }));
  };

  test.each([
    ['do not run where nobody trusts it', {}, false],
    ['run where it is trusted', { trust: true }, true],
    ['run where the launch names it', { settingSources: ['project'] }, true],
    ['do not run where it is not read', { settingSources: [] }, false],
  ])('%s', async (_name, config, runs) => {
    const house = createHouse(['hi']);
    put(house.dir, 'canary');
    await house.connect(config).ask('go');
    expect(existsSync(join(house.dir, 'canary'))).toBe(runs);
  });

  test('[CVE-2026-25725] what appears during a session does not run in it', async () => {
    const house = createHouse(['one', 'two']);
    const client = house.connect({ settingSources: ['project'] });
    await client.ask('go');
    put(house.dir, 'canary');
    await client.ask('on');
    expect(existsSync(join(house.dir, 'canary'))).toBe(false);
  });
});

test('[G4] hooks get the project directory and no credentials of the runtime', async () => {
  const env = { PATH: process.env.PATH, HOME: '/nonexistent', ANTHROPIC_API_KEY: 'sk-secret-secret', MINE: 'yes' };
  const house = createHouse(['hi']);
  const client = house.connect({ settings: settingsWith({ UserPromptSubmit: [command('env > seen')] }) }, { env });
  await client.ask('go');
  const seen = readFileSync(join(house.dir, 'seen'), 'utf8');
  expect(seen).toContain(`CLAUDE_PROJECT_DIR=${house.dir}`);
  expect(seen).toContain('MINE=yes');
  expect(seen).not.toContain('sk-secret');
});

describe('[K2] a PreToolUse callback that cannot be asked', () => {
  const initialize = (more = {}) => ({
    subtype: 'initialize',
    hooks: { PreToolUse: [{ hookCallbackIds: ['hook_0'], ...more }] },
  });

  test('is a denial: no answer comes in time', async () => {
    const house = createHouse([touch, 'done']);
    const client = house.connect(BYPASS, { answer: () => Promise.reject(new Error('never sent')) });
    await client.control(initialize({ timeout: 0.2 }));
    await client.ask('go');
    expect(existsSync(join(house.dir, 'canary'))).toBe(false);
    expect(house.logs).toContainEqual({ level: 'warn', message: expect.stringContaining('could not be asked') });
  });

  test('is a denial: it answers with an error', async () => {
    const house = createHouse([touch, 'done']);
    const client = house.connect(BYPASS);
    await client.control(initialize());
    client.say('go');
    await client.until(() => client.of('control_request/hook_callback').length > 0);
    const [{ request_id }] = client.of('control_request/hook_callback') as [{ request_id: string }];
    client.send({ type: 'control_response', response: { subtype: 'error', request_id, error: 'it threw' } });
    await client.result(0);
    expect(existsSync(join(house.dir, 'canary'))).toBe(false);
    expect(house.logs).toContainEqual({ level: 'warn', message: expect.stringContaining('it threw') });
  });

  test('is a denial: the host has closed its end', async () => {
    const house = createHouse([touch, 'done']);
    const client = house.connect(BYPASS, { answer: () => ({}) });
    await client.control(initialize());
    client.say('go');
    await client.end();
    expect(existsSync(join(house.dir, 'canary'))).toBe(false);
  });

  test('[B-078] is passed over where the host says so', async () => {
    const house = createHouse([touch, 'done']);
    const client = house.connect(BYPASS);
    await client.control(initialize({ timeout: 0.2, onFailure: 'ignore' }));
    await client.ask('go');
    expect(existsSync(join(house.dir, 'canary'))).toBe(true);
  });
});
