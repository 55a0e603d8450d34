import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toolUse } from '../../src/testing/script.ts';
import type { JsonObject } from '../../src/util/json.ts';
import { createHouse, type House, lastTexts, resultsOf } from '../host/support.ts';
import { command, printing, settingsWith } from './support.ts';

const BYPASS = { permissionMode: 'bypassPermissions' };

/** A session with callbacks for these events; `told` is what they were called with. */
async function watching(house: House, events: Record<string, string | null>, config = {}) {
  const told: JsonObject[] = [];
  const answer = (request: JsonObject) => {
    if (request.subtype === 'hook_callback') told.push(request.input as JsonObject);
    return {};
  };
  const client = house.connect({ ...BYPASS, ...config }, { answer });
  const hooks = Object.entries(events).map(([event, matcher], at) => [
    event,
    [{ matcher, hookCallbackIds: [`hook_${at}`] }],
  ]);
  await client.control({ subtype: 'initialize', hooks: Object.fromEntries(hooks) });
  return { client, told };
}

function userSettings(house: House, settings: JsonObject): void {
  const home = join(dirname(house.dir), '.heddle');
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, 'settings.json'), JSON.stringify(settings));
}

describe('[B-187] what changes around a session', () => {
  test('files that a matcher names: new, changed, gone; others are nobody’s business', async () => {
    const bash = (text: string) => toolUse('Bash', { command: text });
    const house = createHouse([bash('touch .env other'), bash('echo 1 > .env'), bash('rm .env'), 'done']);
    const { client, told } = await watching(house, { FileChanged: '.env|.envrc' });
    await client.ask('go');
    const path = join(house.dir, '.env');
    expect(told.map(({ file_path, event }) => [file_path, event])).toEqual([
      [path, 'add'],
      [path, 'change'],
      [path, 'unlink'],
    ]);
  });

  test('also between two turns, and files that a hook has asked for', async () => {
    const house = createHouse(() => 'hi');
    const path = house.file('package.json', '{}');
    const answer = { hookSpecificOutput: { hookEventName: 'SessionStart', watchPaths: [path] } };
    const settings = settingsWith({ SessionStart: [command(printing(answer))] });
    const { client, told } = await watching(house, { FileChanged: null }, { settings });
    await client.ask('go');
    expect(told).toEqual([]);
    rmSync(path);
    await client.ask('on');
    expect(told).toMatchObject([{ file_path: path, event: 'unlink' }]);
  });

  test('a hook may prepare the environment of the next command by it', async () => {
    const house = createHouse([
      toolUse('Bash', { command: 'echo A=1 > .env' }),
      toolUse('Bash', { command: 'echo "[$A]"' }),
      'done',
    ]);
    const settings = settingsWith({ FileChanged: [command('cat .env > "$CLAUDE_ENV_FILE"')] }, '.env');
    const client = house.connect({ ...BYPASS, settings });
    await client.ask('go');
    expect(resultsOf(client.lines)[1]?.content).toBe('[1]');
  });

  test('a directory that the session may work in from now on', async () => {
    const house = createHouse([toolUse('Bash', { command: 'touch x' }), 'done']);
    const more = join(dirname(house.dir), 'more');
    mkdirSync(more);
    const told: JsonObject[] = [];
    const client = house.connect(
      { permissionPromptTool: 'stdio' },
      {
        answer(request) {
          if (request.subtype === 'hook_callback') {
            told.push(request.input as JsonObject);
            return {};
          }
          const update = { type: 'addDirectories', directories: [more], destination: 'session' };
          return { behavior: 'allow', updatedInput: request.input, updatedPermissions: [update] };
        },
      },
    );
    await client.control({ subtype: 'initialize', hooks: { DirectoryAdded: [{ hookCallbackIds: ['hook_0'] }] } });
    await client.ask('go');
    expect(told).toMatchObject([{ hook_event_name: 'DirectoryAdded', directory_path: more }]);
  });
});

test('[B-186] a memory file was loaded, and why', async () => {
  const house = createHouse(['hi']);
  const path = house.file('CLAUDE.md', 'Be brief.');
  const { client, told } = await watching(house, { InstructionsLoaded: 'session_start' });
  await client.ask('go');
  await client.until(() => told.length > 0);
  expect(told).toMatchObject([{ file_path: path, load_reason: 'session_start', memory_type: 'Project' }]);
});

describe('[B-184] ConfigChange', () => {
  const script = () => [
    toolUse('Bash', { command: 'touch canary' }),
    'one',
    toolUse('Bash', { command: 'touch canary' }),
    'two',
  ];
  const objecting = { hooks: { ConfigChange: [{ hooks: [command('echo not now >&2; exit 2')] }] } };
  const ran = (house: House) => existsSync(join(house.dir, 'canary'));
  const DENYING = { permissions: { deny: ['Bash(touch:*)'] } };

  test.each([
    ['an objection keeps changed settings from acting', objecting, true],
    ['without one they act', {}, false],
  ])('%s', async (_name, settings, runs) => {
    const house = createHouse(script());
    const client = house.connect({ ...BYPASS, settings: JSON.stringify(settings) });
    await client.ask('go');
    rmSync(join(house.dir, 'canary'));
    userSettings(house, DENYING);
    await client.ask('on');
    expect(ran(house)).toBe(runs);
    expect(house.logs.some(({ message }) => message.includes('not now'))).toBe(runs);
  });

  test('[G1] a project does not hold up the settings of its user', async () => {
    const house = createHouse(script());
    mkdirSync(join(house.dir, '.claude'));
    writeFileSync(join(house.dir, '.claude/settings.json'), JSON.stringify(objecting));
    const client = house.connect({ ...BYPASS, trust: true });
    await client.ask('go');
    rmSync(join(house.dir, 'canary'));
    userSettings(house, DENYING);
    await client.ask('on');
    expect(ran(house)).toBe(false);
  });
});

describe('[B-177] UserPromptExpansion', () => {
  function withCommand() {
    const house = createHouse(() => 'hi');
    mkdirSync(join(house.dir, '.claude/commands'), { recursive: true });
    writeFileSync(join(house.dir, '.claude/commands/greet.md'), 'Say hello to $ARGUMENTS.');
    return house;
  }

  test('a command is about to be expanded', async () => {
    const house = withCommand();
    const { client, told } = await watching(house, { UserPromptExpansion: 'greet' });
    await client.ask('/greet the world');
    await client.ask('greet me');
    expect(told).toMatchObject([
      {
        expansion_type: 'slash_command',
        command_name: 'greet',
        command_args: 'the world',
        command_source: 'project',
        prompt: '/greet the world',
      },
    ]);
  });

  test('[K-6] an objection, and nothing is sent', async () => {
    const house = withCommand();
    const settings = settingsWith({ UserPromptExpansion: [command('echo be quiet >&2; exit 2')] }, 'greet');
    const client = house.connect({ settings });
    await client.ask('/greet the world');
    expect(house.model.requests).toEqual([]);
    expect(client.of('system/informational')).toMatchObject([{ content: expect.stringContaining('be quiet') }]);
  });
});

test('[B-176] PostToolBatch comes once, after all calls of an answer', async () => {
  const house = createHouse([[toolUse('Bash', { command: 'echo 1' }), toolUse('Bash', { command: 'echo 2' })], 'done']);
  const { client, told } = await watching(house, { PostToolBatch: null, PostToolUse: null });
  await client.ask('go');
  expect(told.map(({ hook_event_name }) => hook_event_name)).toEqual(['PostToolUse', 'PostToolUse', 'PostToolBatch']);
  expect(told[2]?.tool_calls).toMatchObject([
    { tool_name: 'Bash', tool_input: { command: 'echo 1' }, tool_response: '1' },
    { tool_name: 'Bash', tool_input: { command: 'echo 2' }, tool_response: '2' },
  ]);
});

describe('[HK-17] what hooks are told beside the event', () => {
  test('the prompt and the effort', async () => {
    const house = createHouse(() => 'hi');
    const { client, told } = await watching(
      house,
      { SessionStart: null, UserPromptSubmit: null, Stop: null },
      { effort: 'low', model: 'opus' },
    );
    await client.ask('go');
    await client.ask('on');
    const [start, ...others] = told.map(({ prompt_id }) => prompt_id);
    expect(start).toBeUndefined();
    expect(others[0]).toBe(others[1]);
    expect(others[2]).toBe(others[3]);
    expect(new Set(others).size).toBe(2);
    expect(told.every(({ effort }) => (effort as JsonObject).level === 'low')).toBe(true);
  });

  test('[B-191] at a stop: the last words, and what still runs', async () => {
    const house = createHouse([toolUse('Bash', { command: 'sleep 60', run_in_background: true }), 'All is done.']);
    const { client, told } = await watching(house, { Stop: null });
    await client.ask('go');
    expect(told).toMatchObject([
      {
        last_assistant_message: 'All is done.',
        background_tasks: [{ type: 'local_bash', status: 'running', command: 'sleep 60' }],
        session_crons: [],
      },
    ]);
    await client.close();
  });

  test('how long a call took, without the time in which it was asked for', async () => {
    const house = createHouse([
      toolUse('Bash', { command: 'sleep 0.2' }),
      toolUse('Bash', { command: 'exit 1' }),
      'done',
    ]);
    const slow = settingsWith({ PreToolUse: [command('[ -f called ] && sleep 3; touch called')] });
    const { client, told } = await watching(house, { PostToolUse: null, PostToolUseFailure: null }, { settings: slow });
    await client.ask('go');
    expect(told[0]?.duration_ms).toBeGreaterThanOrEqual(190);
    expect(told[1]?.duration_ms).toBeLessThan(2900);
  });
});

describe('[B-192] hooks of a skill', () => {
  const SKILL = `---
description: Works with care
hooks:
  PreToolUse:
    - matcher: Bash
      hooks:
        - type: command
          command: echo "not with care" >&2; exit 2
---
Work with care.`;
  const touch = (name: string) => toolUse('Bash', { command: `touch ${name}` });

  function withSkill(script: Parameters<typeof createHouse>[0]) {
    const house = createHouse(script);
    mkdirSync(join(house.dir, '.claude/skills/care'), { recursive: true });
    writeFileSync(join(house.dir, '.claude/skills/care/SKILL.md'), SKILL);
    const has = (name: string) => existsSync(join(house.dir, name));
    return { house, has };
  }

  test('are there once the model has loaded it, until the turn is over', async () => {
    const { house, has } = withSkill([
      touch('a'),
      toolUse('Skill', { skill: 'care' }),
      touch('b'),
      'done',
      touch('c'),
      'done',
    ]);
    const client = house.connect({ ...BYPASS, trust: true });
    await client.ask('go');
    expect([has('a'), has('b')]).toEqual([true, false]);
    expect(resultsOf(client.lines).at(-1)?.content).toContain('not with care');
    await client.ask('on');
    expect(has('c')).toBe(true);
  });

  test('are there when the user calls it', async () => {
    const { house, has } = withSkill([touch('a'), 'done']);
    await house.connect({ ...BYPASS, trust: true }).ask('/care');
    expect(has('a')).toBe(false);
  });

  test.each([
    ['nobody trusts the project', {}],
    ['the user wants no hooks', { trust: true, settings: '{"disableAllHooks":true}' }],
  ])('[G1] are not there where %s', async (_name, config) => {
    const { house, has } = withSkill([touch('a'), 'done']);
    const client = house.connect({ ...BYPASS, ...config });
    await client.ask('/care');
    expect(lastTexts(house.model.requests[0]).join()).toContain('Work with care.');
    expect(has('a')).toBe(true);
  });
});
