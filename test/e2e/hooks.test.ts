import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { HookCallback } from '../../src/sdk/index.ts';
import { command, printing, settingsWith } from '../hooks/support.ts';
import { sdk } from '../support/built.ts';
import { runCli } from '../support/cli.ts';
import { makePlace, type Place } from '../support/place.ts';
import { put } from '../support/put.ts';

const DENY = {
  hookSpecificOutput: {
    hookEventName: 'PreToolUse',
    permissionDecision: 'deny',
    permissionDecisionReason: 'no pushing',
  },
};
const userFile = (place: Place) => join(place.home, 'settings.json');
const projectFile = (place: Place) => join(place.cwd, '.claude', 'settings.json');

describe('heddle hooks', () => {
  test('list shows where each stands, what is wrong, and what is ignored', async () => {
    const place = await makePlace();
    put(userFile(place), settingsWith({ PreToolUse: [command('guard.sh')], Nothing: [command('x')] }, 'Bash'));
    put(projectFile(place), settingsWith({ Stop: [command('evil.sh')] }));
    const { code, stdout } = await runCli(['hooks', 'list'], { place });
    expect(code).toBe(0);
    expect(stdout).toContain(`PreToolUse (Bash): guard.sh  [60 s] ${userFile(place)}`);
    expect(stdout).toContain('hooks.Nothing is no event of this version');
    expect(stdout).toContain(`ignored: the hooks of ${projectFile(place)}`);
    expect(stdout).not.toContain('evil.sh');
  });

  test('test runs those that fit, and tells what would come of it', async () => {
    const place = await makePlace();
    put(userFile(place), settingsWith({ PreToolUse: [command(`cat > seen; ${printing(DENY)}`)] }, 'Bash'));
    const input = JSON.stringify({ tool_name: 'Bash', tool_input: { command: 'git push' } });
    const { code, stdout } = await runCli(['hooks', 'test', 'PreToolUse', '--input', input], { place });
    expect(code).toBe(2);
    expect(stdout).toContain('decision: deny (no pushing)');
    expect(JSON.parse(readFileSync(join(place.cwd, 'seen'), 'utf8'))).toMatchObject({
      tool_input: { command: 'git push' },
    });
    const other = await runCli(['hooks', 'test', 'PreToolUse', '--tool', 'Read'], { place });
    expect(other).toMatchObject({ code: 0, stdout: 'No hook fits this event.\n' });
  });

  test.each([
    ['git push', 2, 'decision: deny'],
    ['ls', 0, 'No hook fits this event.'],
  ])('test and explain judge the `if` of a hook: %s', async (text, expected, said) => {
    const place = await makePlace();
    put(userFile(place), settingsWith({ PreToolUse: [command(printing(DENY), { if: 'Bash(git push:*)' })] }));
    const input = JSON.stringify({ tool_name: 'Bash', tool_input: { command: text } });
    const { code, stdout } = await runCli(['hooks', 'test', 'PreToolUse', '--input', input], { place });
    expect([code, stdout]).toEqual([expected, expect.stringContaining(said)]);
    const call = ['--tool', 'Bash', '--input', JSON.stringify({ command: text }), '--json'];
    const explained = await runCli(['permissions', 'explain', ...call], { place });
    expect(JSON.parse(explained.stdout).hooks ?? []).toHaveLength(expected === 2 ? 1 : 0);
  });

  test('test takes the event of a recorded session', async () => {
    const place = await makePlace();
    const run = [
      '-p',
      'run: echo recorded',
      '--model',
      'offline',
      '--permission-mode',
      'bypassPermissions',
      '--output-format',
      'json',
    ];
    const { stdout } = await runCli(run, { place });
    const { session_id } = JSON.parse(stdout);
    put(
      userFile(place),
      settingsWith({ PreToolUse: [command('cat > seen')], UserPromptSubmit: [command('cat > prompt')] }),
    );
    expect(await runCli(['hooks', 'test', 'PreToolUse', '--session', session_id], { place })).toMatchObject({
      code: 0,
    });
    expect(JSON.parse(readFileSync(join(place.cwd, 'seen'), 'utf8'))).toMatchObject({
      tool_name: 'Bash',
      tool_input: { command: 'echo recorded' },
    });
    await runCli(['hooks', 'test', 'UserPromptSubmit', '--session', session_id], { place });
    expect(JSON.parse(readFileSync(join(place.cwd, 'prompt'), 'utf8'))).toMatchObject({ prompt: 'run: echo recorded' });
  });

  test.each([
    [['hooks', 'test', 'Nothing'], /no event Nothing/],
    [['hooks', 'fly'], /unknown command 'hooks fly'/],
    [['hooks', 'test', 'Stop', '--input', '7'], /needs a JSON object/],
  ])('%j is an error', async (argv, text) => {
    expect(await runCli(argv, { place: await makePlace() })).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(text),
    });
  });

  test('permissions explain names those that would be asked', async () => {
    const place = await makePlace();
    put(userFile(place), settingsWith({ PreToolUse: [command('guard.sh')] }, 'Bash'));
    const { stdout } = await runCli(['permissions', 'explain', '--tool', 'Bash', '--input', '{"command":"ls"}'], {
      place,
    });
    expect(stdout).toContain(`hook:   PreToolUse: guard.sh (${userFile(place)})`);
  });
});

test('[HK-07] a print run ends its session for hooks, once, and leaves nothing running', async () => {
  const place = await makePlace();
  put(
    userFile(place),
    settingsWith({ SessionStart: [command('echo start >> log')], SessionEnd: [command('echo end >> log')] }),
  );
  expect(await runCli(['-p', 'hi', '--model', 'offline'], { place })).toMatchObject({ code: 0, stderr: '' });
  expect(readFileSync(join(place.cwd, 'log'), 'utf8')).toBe('start\nend\n');
});

test('[HK-06, HK-07, K2] the callbacks of a program are told of the beginning and the end', async () => {
  const place = await makePlace();
  const told: string[] = [];
  const note: HookCallback = async ({ hook_event_name }) => {
    told.push(hook_event_name);
    return {};
  };
  const matchers = [{ hooks: [note] }];
  const hooks = { SessionStart: matchers, UserPromptSubmit: matchers, Stop: matchers, SessionEnd: matchers };
  const env = { HOME: place.home, HEDDLE_HOME: place.home, PATH: process.env.PATH };
  const options = { cwd: place.cwd, env, model: 'offline', hooks };
  for await (const _message of sdk.query({ prompt: 'hi', options }));
  expect(told).toEqual(['SessionStart', 'UserPromptSubmit', 'Stop', 'SessionEnd']);
});

describe('[HK-06, B-018] the project is made ready', () => {
  const setup = 'cat >> seen; echo >> seen';
  const told = (place: Place) =>
    readFileSync(join(place.cwd, 'seen'), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => {
        const { hook_event_name, trigger, source } = JSON.parse(line);
        return `${hook_event_name} ${trigger ?? source}`;
      });

  test.each([
    ['--init', ['Setup init', 'SessionStart startup']],
    ['--maintenance', ['Setup maintenance', 'SessionStart startup']],
  ])('%s: before the first turn, which follows', async (flag, events) => {
    const place = await makePlace();
    put(userFile(place), settingsWith({ Setup: [command(setup)], SessionStart: [command(setup)] }));
    const { code, stdout } = await runCli(['-p', 'say: done', '--model', 'offline', flag], { place });
    expect([code, stdout.trim() !== '']).toEqual([0, true]);
    expect(told(place)).toEqual(events);
  });

  test('--init-only: and nothing follows', async () => {
    const place = await makePlace();
    put(userFile(place), settingsWith({ Setup: [command(setup)] }));
    const { code, stdout } = await runCli(['--init-only', '--model', 'offline'], { place });
    expect([code, stdout]).toEqual([0, '']);
    expect(told(place)).toEqual(['Setup init']);
  });
});
