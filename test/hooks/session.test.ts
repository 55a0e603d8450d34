import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fail, toolUse } from '../../src/testing/script.ts';
import type { JsonObject } from '../../src/util/json.ts';
import { type Client, createHouse, type House } from '../host/support.ts';
import { command, printing, settingsWith } from './support.ts';

const EVENTS = [
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'PermissionRequest',
  'PermissionDenied',
  'Notification',
  'UserPromptSubmit',
  'SessionStart',
  'SessionEnd',
  'Stop',
  'StopFailure',
  'PreCompact',
  'PostCompact',
  'ConfigChange',
  'CwdChanged',
  'TaskCreated',
  'TaskCompleted',
];

/** A session with a callback for every event; `told` is what each was called with. */
async function watched(house: House, config = {}, answer: (request: JsonObject) => unknown = () => ({})) {
  const told: JsonObject[] = [];
  const client = house.connect(config, {
    answer(request) {
      if (request.subtype !== 'hook_callback') return answer(request);
      told.push(request.input as JsonObject);
      return {};
    },
  });
  const hooks = Object.fromEntries(
    EVENTS.map((event, at) => [event, [{ matcher: null, hookCallbackIds: [`hook_${at}`] }]]),
  );
  await client.control({ subtype: 'initialize', hooks });
  const names = () => told.map(({ hook_event_name }) => hook_event_name);
  return {
    client,
    told,
    names,
    of: (event: string) => told.filter(({ hook_event_name }) => hook_event_name === event),
  };
}

/** As the SDK does it: no more input, but the connection stays open for callbacks. */
async function endInput(client: Client): Promise<void> {
  await client.control({ subtype: 'end_input' });
}

describe('when events happen', () => {
  test('[HK-06, HK-07, HK-17] a session begins once and ends once, for callbacks too', async () => {
    const house = createHouse(['one', 'two']);
    const { client, told, names } = await watched(house);
    await client.ask('go');
    await client.ask('on');
    await endInput(client);
    await client.until(() => names().includes('SessionEnd'));
    expect(names()).toEqual(['SessionStart', 'UserPromptSubmit', 'Stop', 'UserPromptSubmit', 'Stop', 'SessionEnd']);
    expect(told[0]).toMatchObject({ source: 'startup', session_id: expect.any(String), cwd: house.dir });
    expect(told[0]).not.toHaveProperty('permission_mode');
    expect(told[1]).toMatchObject({ prompt: 'go', permission_mode: 'default' });
    expect(told[2]).toMatchObject({ stop_hook_active: false });
    expect(told[5]).toMatchObject({ reason: 'other' });
  });

  test('[HK-06, B-024] a resumed session says so, a cleared one ends for that reason and begins anew', async () => {
    const house = createHouse(() => 'hi');
    const first = house.connect();
    const { session_id } = await first.ask('go');
    await first.end();
    const { client, of } = await watched(house, { resume: session_id });
    await client.ask('on');
    await client.ask('/clear');
    expect(of('SessionStart').map(({ source }) => source)).toEqual(['resume', 'clear']);
    expect(of('SessionEnd').map(({ reason }) => reason)).toEqual(['clear']);
  });

  test('[HK-11, B-179] a compaction: before it, after it, and the beginning that follows', async () => {
    const house = createHouse(() => 'a summary');
    const { client, names, of } = await watched(house);
    await client.ask('go');
    await client.ask('/compact be brief');
    expect(names().slice(3)).toEqual(['PreCompact', 'PostCompact', 'SessionStart']);
    expect(of('PreCompact')).toMatchObject([{ trigger: 'manual', custom_instructions: 'be brief' }]);
    expect(of('SessionStart')[1]).toMatchObject({ source: 'compact', model: expect.any(String) });
  });

  test('[HK-12, HK-04] a question: hooks first, then a notice, then the host', async () => {
    const house = createHouse([toolUse('Bash', { command: 'touch x' }), 'done']);
    const allow = () => ({ behavior: 'allow' });
    const { client, names, of } = await watched(house, { permissionPromptTool: 'stdio' }, allow);
    await client.ask('go');
    expect(names().slice(2, 6)).toEqual(['PreToolUse', 'PermissionRequest', 'Notification', 'PostToolUse']);
    expect(of('Notification')).toMatchObject([
      { notification_type: 'permission_prompt', message: expect.stringContaining('Bash') },
    ]);
    expect(existsSync(join(house.dir, 'x'))).toBe(true);
  });

  test('[B-181] a denial that nobody was asked about', async () => {
    const house = createHouse([toolUse('Bash', { command: 'rm x' }), 'done']);
    const { client, of } = await watched(house, { disallowedTools: ['Bash(rm:*)'] });
    await client.ask('go');
    expect(of('PermissionDenied')).toMatchObject([
      { tool_name: 'Bash', reason: expect.stringContaining('Bash(rm:*)') },
    ]);
  });

  test('[B-178] a turn that the model could not answer', async () => {
    const house = createHouse([fail(400, 'invalid_request_error', 'no')]);
    const { client, of } = await watched(house);
    await client.ask('go');
    expect(of('StopFailure')).toMatchObject([{ error: 'invalid_request' }]);
    expect(of('Stop')).toEqual([]);
  });

  test('[B-184, B-187] settings and the directory of commands change', async () => {
    const house = createHouse([toolUse('Bash', { command: 'cd sub' }), 'done', 'two']);
    mkdirSync(join(house.dir, 'sub'));
    const { client, of } = await watched(house, { permissionMode: 'bypassPermissions' });
    await client.ask('go');
    expect(of('CwdChanged')).toMatchObject([{ old_cwd: house.dir, new_cwd: join(house.dir, 'sub') }]);
    const home = join(house.dir, '..', '.heddle');
    mkdirSync(home, { recursive: true });
    writeFileSync(join(home, 'settings.json'), '{"permissions":{"deny":["WebFetch"]}}');
    await client.ask('on');
    expect(of('ConfigChange')).toMatchObject([{ source: 'user_settings', file_path: join(home, 'settings.json') }]);
  });

  test('[B-020, B-182] tasks; whoever objects keeps one from being completed', async () => {
    const script = [
      toolUse('TaskCreate', { subject: 'one', description: 'do one' }),
      toolUse('TaskUpdate', { taskId: '1', status: 'completed' }),
      'done',
    ];
    const house = createHouse(script);
    const env = { HOME: join(house.dir, '..'), PATH: process.env.PATH, CLAUDE_CODE_ENABLE_TASKS: '1' };
    const settings = settingsWith({
      TaskCreated: [command('cat > created')],
      TaskCompleted: [command('cat > completed; echo tests fail >&2; exit 2')],
    });
    const client = house.connect({ settings }, { env });
    await client.ask('go');
    const read = (name: string) => JSON.parse(readFileSync(join(house.dir, name), 'utf8'));
    expect(read('created')).toMatchObject({ task_id: '1', task_subject: 'one', task_description: 'do one' });
    expect(read('completed')).toMatchObject({ hook_event_name: 'TaskCompleted', task_id: '1' });
    expect(JSON.stringify(house.model.requests[2]?.messages)).toContain('tests fail');
  });
});

describe('lines about hooks', () => {
  const settings = settingsWith({
    SessionStart: [command('echo welcome')],
    UserPromptSubmit: [command('echo more')],
    Stop: [command('true')],
  });

  test('[MSG-05, MSG-07, FLD-38] those of the start are always told, and are on disk', async () => {
    const house = createHouse(['hi']);
    const client = house.connect({ settings });
    const { session_id } = await client.ask('go');
    const lines = client.lines.filter(({ subtype }) => String(subtype).startsWith('hook_'));
    expect(lines).toMatchObject([
      { subtype: 'hook_started', hook_name: 'SessionStart:startup', hook_event: 'SessionStart' },
      {
        subtype: 'hook_response',
        output: 'welcome\n',
        stdout: 'welcome\n',
        stderr: '',
        exit_code: 0,
        outcome: 'success',
      },
    ]);
    expect(lines[0]?.hook_id).toBe(lines[1]?.hook_id);
    expect((await house.entries(session_id)).find(({ type }) => type === 'progress')).toMatchObject({
      data: {
        type: 'hook_progress',
        hookEvent: 'SessionStart',
        hookName: 'SessionStart:startup',
        command: 'echo welcome',
      },
    });
  });

  test('[B-052] all of them where the launch wants them', async () => {
    const client = createHouse(['hi']).connect({ settings, includeHookEvents: true });
    await client.ask('go');
    const names = client.of('system/hook_response').map(({ hook_name }) => hook_name);
    expect(names).toEqual(['SessionStart:startup', 'UserPromptSubmit', 'Stop']);
  });

  test('[MSG-06] output of a slow one comes while it runs', async () => {
    const slow = settingsWith({ SessionStart: [command('echo part1; sleep 1.5; echo part2')] });
    const client = createHouse(['hi']).connect({ settings: slow });
    await client.ask('go');
    expect(client.of('system/hook_progress')).toMatchObject([{ output: 'part1\n' }]);
  });

  test('[HK-20] suppressOutput hides the output', async () => {
    const hidden = settingsWith({ SessionStart: [command(printing({ suppressOutput: true, systemMessage: 'seen' }))] });
    const client = createHouse(['hi']).connect({ settings: hidden });
    await client.ask('go');
    expect(client.of('system/hook_response')).toMatchObject([{ output: '', stdout: '' }]);
  });

  test('the last word of Stop hooks is recorded when the conversation goes on', async () => {
    const house = createHouse(['one', 'two']);
    const client = house.connect({ settings });
    const { session_id } = await client.ask('go');
    const summaries = async () =>
      (await house.entries(session_id)).filter(({ subtype }) => subtype === 'stop_hook_summary');
    expect(await summaries()).toEqual([]);
    await client.ask('on');
    expect(await summaries()).toMatchObject([
      { hookCount: 1, hookInfos: [{ command: 'true' }], hookErrors: [], level: 'suggestion' },
    ]);
  });
});

describe('how hooks run', () => {
  const WAITING = 'until [ -f go ]; do sleep 0.05; done; touch late';

  test('several at the same time, identical commands once', async () => {
    const house = createHouse(['hi']);
    // Each waits until all of them have begun.
    const meeting = (name: string) =>
      command(`echo ${name} >> ran; until [ "$(sort -u ran | wc -l)" = 3 ]; do sleep 0.05; done`);
    const settings = settingsWith({ UserPromptSubmit: [meeting('x'), meeting('x'), meeting('y'), meeting('z')] });
    await house.connect({ settings }).ask('go');
    expect(readFileSync(join(house.dir, 'ran'), 'utf8').split('\n').filter(Boolean).sort()).toEqual(['x', 'y', 'z']);
  });

  test.each([
    ['says so itself', command(`printf '{"async":true}\\n'; ${WAITING}`)],
    ['is said so in the settings', command(WAITING, { async: true })],
  ])('[HK-18] one that %s is not waited for, but may finish', async (_name, hook) => {
    const house = createHouse(['hi']);
    const client = house.connect({ settings: settingsWith({ UserPromptSubmit: [hook] }) });
    await client.ask('go');
    house.file('go', '');
    await client.end();
    expect(existsSync(join(house.dir, 'late'))).toBe(true);
  });

  test('[K26] a message that joins a running turn is asked about, too', async () => {
    const house = createHouse([toolUse('Bash', { command: 'sleep 0.5' }), 'done']);
    const settings = settingsWith({ UserPromptSubmit: [command(`if grep -q secret; then echo no >&2; exit 2; fi`)] });
    const client = house.connect({ settings, permissionMode: 'bypassPermissions' });
    client.say('go');
    await client.until(() => client.of('assistant').length > 0);
    client.say('my secret');
    await client.result(0);
    await client.end();
    expect(JSON.stringify(house.model.requests)).not.toContain('my secret');
    expect(client.of('system/informational')).toHaveLength(1);
  });

  test('[B-166] get_hooks_listing tells of them', async () => {
    const client = createHouse([]).connect({ settings: settingsWith({ PreToolUse: [command('true')] }, 'Bash') });
    expect(await client.control({ subtype: 'get_hooks_listing' })).toMatchObject({
      response: {
        events: ['PreToolUse'],
        hooks: [{ event: 'PreToolUse', matcher: 'Bash', type: 'command', command: 'true', timeout: 60 }],
      },
    });
  });

  test('explain_permission names those that would be asked', async () => {
    const client = createHouse([]).connect({ settings: settingsWith({ PreToolUse: [command('guard.sh')] }, 'Bash') });
    const ask = { subtype: 'explain_permission', tool_name: 'Bash', input: { command: 'ls' } };
    expect(await client.control(ask)).toMatchObject({
      response: { behavior: 'allow', hooks: ['PreToolUse: guard.sh (--settings)'] },
    });
  });

  test.each([
    ['disableAllHooks', { disableAllHooks: true }, {}, 0],
    ['allowManagedHooksOnly of the administrator', {}, { allowManagedHooksOnly: true }, 0],
    ['allowManagedHooksOnly of anybody else', { allowManagedHooksOnly: true }, {}, 1],
  ])('%s', async (_name, own, managed, runs) => {
    const house = createHouse(['hi']);
    const hooks = { UserPromptSubmit: [{ hooks: [command('touch ran')] }] };
    await house
      .connect({ settings: JSON.stringify({ hooks, ...own }), managedSettings: JSON.stringify(managed) })
      .ask('go');
    expect(existsSync(join(house.dir, 'ran'))).toBe(runs === 1);
  });
});
