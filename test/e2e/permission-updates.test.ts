import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { PermissionUpdate } from '../../src/sdk/index.ts';
import { toolUse } from '../../src/testing/index.ts';
import { sdk } from '../support/built.ts';
import { type RunningCli, runCli, STREAM_BOTH, STREAM_OUT, startCli } from '../support/cli.ts';
import { kindOf, type Line, toolResult } from '../support/lines.ts';
import { makePlace, type Place } from '../support/place.ts';
import { put } from '../support/put.ts';

const HOST = [...STREAM_BOTH, '--permission-prompt-tool', 'stdio'];

const FILES = {
  userSettings: ({ home }: Place) => join(home, 'settings.json'),
  projectSettings: ({ cwd }: Place) => join(cwd, '.claude', 'settings.json'),
  localSettings: ({ cwd }: Place) => join(cwd, '.claude', 'settings.local.json'),
};
type FileScope = keyof typeof FILES;

type Updates = Record<string, object[]>;
type Outcome = 'runs' | 'asked' | 'denied';

/** Says `go`; a question about a call in `updates` is answered with those, any other is refused. */
async function turn(cli: RunningCli, updates: Updates): Promise<{ outcomeOf(id: string): Outcome; result: Line }> {
  const asked = new Set<string>();
  cli.say('go');
  for (;;) {
    const line = await cli.next(({ type }) => type === 'result' || type === 'control_request');
    if (line.type === 'result') return { outcomeOf: (id) => outcomeOf(id, asked, line), result: line };
    const id = String((line.request as Line).tool_use_id);
    asked.add(id);
    const updatedPermissions = updates[id];
    const response = updatedPermissions
      ? { behavior: 'allow', updatedPermissions }
      : { behavior: 'deny', message: 'no' };
    cli.send({ type: 'control_response', response: { subtype: 'success', request_id: line.request_id, response } });
  }
}

function outcomeOf(id: string, asked: ReadonlySet<string>, result: Line): Outcome {
  if (asked.has(id)) return 'asked';
  const denials = result.permission_denials as { tool_use_id: string }[];
  return denials.some(({ tool_use_id }) => tool_use_id === id) ? 'denied' : 'runs';
}

const modesIn = (lines: readonly Line[]) =>
  lines.filter((line) => kindOf(line) === 'system/status').map(({ permissionMode }) => permissionMode);

/** Asked for in every mode of these tests, unless a rule says otherwise. */
const trigger = (id: string) => toolUse('Bash', { command: 'install -m 600 /dev/null made' }, id);
const touch = (id: string) => toolUse('Bash', { command: 'touch made' }, id);
const write = (id: string) => toolUse('Write', { file_path: `${id}.txt`, content: 'x' }, id);

function outsideOf({ root }: Place): string {
  const outside = join(root, 'outside');
  mkdirSync(outside, { recursive: true });
  writeFileSync(join(outside, 'far.txt'), 'far');
  return outside;
}

describe('[PRM-03, PRM-14] updates of every kind, one after the other', () => {
  const rules = [{ toolName: 'Bash', ruleContent: 'touch:*' }];
  const read = (id: string) => toolUse('Read', { file_path: '../outside/far.txt' }, id);
  const STEPS: [update: (outside: string) => object, probe: typeof touch, outcome: Outcome][] = [
    [() => ({ type: 'addRules', behavior: 'allow', rules }), touch, 'runs'],
    [() => ({ type: 'replaceRules', behavior: 'allow', rules: [{ toolName: 'Glob' }] }), touch, 'asked'],
    [() => ({ type: 'addRules', behavior: 'deny', rules }), touch, 'denied'],
    [() => ({ type: 'removeRules', behavior: 'deny', rules }), touch, 'asked'],
    [(outside) => ({ type: 'addDirectories', directories: [outside] }), read, 'runs'],
    [(outside) => ({ type: 'removeDirectories', directories: [outside] }), read, 'asked'],
    [(outside) => ({ type: 'addDirectories', directories: [outside] }), read, 'runs'],
    [() => ({ type: 'addRules', behavior: 'allow', rules }), touch, 'runs'],
    [() => ({ type: 'setMode', mode: 'acceptEdits' }), write, 'runs'],
  ];
  const first = STEPS.flatMap(([, probe], at) => [trigger(`t${at}`), probe(`p${at}`)]);

  test.each([...Object.keys(FILES), 'session', 'cliArg'])('for %s', async (destination) => {
    const place = await makePlace([...first, 'done', touch('q0'), read('q1'), write('q2'), 'done']);
    const outside = outsideOf(place);
    const updates = Object.fromEntries(STEPS.map(([make], at) => [`t${at}`, [{ ...make(outside), destination }]]));

    const cli = startCli(HOST, { place });
    const { outcomeOf } = await turn(cli, updates);
    expect(STEPS.map((_step, at) => outcomeOf(`p${at}`))).toEqual(STEPS.map(([, , outcome]) => outcome));
    expect(modesIn(cli.lines)).toEqual(['acceptEdits']);
    cli.endInput();
    expect(await cli.finished).toMatchObject({ code: 0, stderr: '' });

    const kept = { allow: ['Glob', 'Bash(touch:*)'], deny: [], additionalDirectories: [outside] };
    for (const scope of Object.keys(FILES) as FileScope[]) {
      const file = FILES[scope](place);
      if (scope !== destination) expect(existsSync(file), file).toBe(false);
      else
        expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
          permissions: { ...kept, defaultMode: 'acceptEdits' },
        });
    }

    // Another process: what was kept holds there, and nothing else.
    const next = await turn(startCli(HOST, { place }), {});
    const outcome = destination in FILES ? 'runs' : 'asked';
    expect(['q0', 'q1', 'q2'].map(next.outcomeOf)).toEqual([outcome, outcome, outcome]);
  });

  test('[PRM-05, PRM-15] from canUseTool: the suggestion of the first question makes the second unnecessary', async () => {
    const place = await makePlace([write('w0'), write('w1'), 'done']);
    const asked: (string | undefined)[] = [];
    const run = sdk.query({
      prompt: 'go',
      options: {
        cwd: place.cwd,
        env: place.env,
        settingSources: ['user'],
        async canUseTool(_name, _input, { suggestions = [], toolUseID }) {
          asked.push(toolUseID);
          const updatedPermissions = suggestions.map(
            (each): PermissionUpdate => ({ ...each, destination: 'userSettings' }),
          );
          return { behavior: 'allow', updatedPermissions };
        },
      },
    });
    onTestFinished(async () => void (await run.close()));
    for await (const _message of run);
    expect(asked).toEqual(['w0']);
    expect(readdirSync(place.cwd).toSorted()).toEqual(['w0.txt', 'w1.txt']);
    expect(JSON.parse(readFileSync(FILES.userSettings(place), 'utf8'))).toEqual({
      permissions: { defaultMode: 'acceptEdits' },
    });
  });
});

describe('[B-016] a deny rule of the launch', () => {
  const rules = [{ toolName: 'Bash', ruleContent: 'touch:*' }];
  const DESTINATIONS = [...Object.keys(FILES), 'session', 'cliArg'];
  const agent = JSON.stringify({ careful: { description: 'd', prompt: 'p', disallowedTools: ['Bash(touch:*)'] } });

  test.each([
    ['--disallowedTools', ['--disallowedTools', 'Bash(touch:*)']],
    ['the agent of the launch', ['--agents', agent, '--agent', 'careful']],
  ])('(%s) is lifted by no update of the host', async (_what, args) => {
    const lifting = [
      { type: 'removeRules', behavior: 'deny', rules },
      { type: 'replaceRules', behavior: 'deny', rules: [] },
      // Given again it is the update's own, and what it stood for must not go with it.
      { type: 'addRules', behavior: 'deny', rules },
      { type: 'removeRules', behavior: 'deny', rules },
      { type: 'addRules', behavior: 'allow', rules },
    ];
    const all = DESTINATIONS.flatMap((destination) => lifting.map((update) => ({ ...update, destination })));
    const place = await makePlace([trigger('t'), toolUse('Bash', { command: 'touch canary' }, 'c'), 'done']);
    const { outcomeOf: of } = await turn(startCli([...HOST, ...args], { place }), { t: all });
    expect(existsSync(join(place.cwd, 'made'))).toBe(true);
    expect(existsSync(join(place.cwd, 'canary'))).toBe(false);
    expect(of('c')).toBe('denied');
  });
});

describe('modes', () => {
  test.each([
    ['--permission-mode', ['--permission-mode', 'acceptEdits'], {}],
    ['settings', [], { permissions: { defaultMode: 'acceptEdits' } }],
    ['--settings', ['--settings', '{"permissions":{"defaultMode":"acceptEdits"}}'], {}],
  ])('[K4, FLG-17] at the start, by %s', async (_how, args, settings) => {
    const place = await makePlace([write('w'), 'done']);
    put(FILES.userSettings(place), settings);
    const { lines } = await runCli([...STREAM_OUT, ...args, 'go'], { place });
    expect(lines[0]).toMatchObject({ permissionMode: 'acceptEdits' });
    expect(existsSync(join(place.cwd, 'w.txt'))).toBe(true);
    expect(modesIn(lines)).toEqual([]);
  });

  test('[K4, PRM-18, K53] what is no mode does not start; of settings it is left out, like bypassPermissions', async () => {
    const place = await makePlace(() => 'Done.');
    const unknown = await runCli([...STREAM_OUT, '--permission-mode', 'banana', 'go'], { place });
    expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining('banana') });
    expect(place.api.requests).toEqual([]);
    for (const defaultMode of ['banana', 'bypassPermissions']) {
      const settings = JSON.stringify({ permissions: { defaultMode } });
      const run = await runCli([...STREAM_OUT, '--settings', settings, 'go'], { place });
      expect(run).toMatchObject({ code: 0, stderr: expect.stringContaining(defaultMode) });
      expect(run.lines[0]).toMatchObject({ subtype: 'init', permissionMode: 'default' });
    }
  });

  test('[CTL-06, K4] by request: it holds at once, also in the middle of a turn; what is none is an error', async () => {
    const place = await makePlace([touch('t'), write('w'), 'done']);
    const cli = startCli(HOST, { place });
    for (const mode of ['banana', '', 7, null]) {
      expect(await cli.control({ subtype: 'set_permission_mode', mode })).toMatchObject({
        subtype: 'error',
        error_code: 'invalid_mode',
      });
    }
    cli.say('go');
    const { request_id } = await cli.next(({ type }) => type === 'control_request');
    expect(await cli.control({ subtype: 'set_permission_mode', mode: 'acceptEdits' })).toMatchObject({
      response: { mode: 'acceptEdits' },
    });
    cli.send({
      type: 'control_response',
      response: { subtype: 'success', request_id, response: { behavior: 'deny', message: 'no' } },
    });
    expect(await cli.nextResult()).toMatchObject({ permission_denials: [{ tool_use_id: 't' }] });
    expect(existsSync(join(place.cwd, 'w.txt'))).toBe(true);
    // Who asked for it knows; only what others change is told (wire.md 2.6).
    expect(modesIn(cli.lines)).toEqual([]);
  });

  const bypass = { type: 'setMode', mode: 'bypassPermissions', destination: 'session' };

  test('[K4, PRM-10, PRM-18] bypassPermissions needs its permission at the launch, however it is asked for', async () => {
    const place = await makePlace([write('w'), 'done']);
    const cli = startCli(HOST, { place });
    expect(await cli.control({ subtype: 'set_permission_mode', mode: 'bypassPermissions' })).toMatchObject({
      subtype: 'error',
      error_code: 'bypass_not_launched',
    });
    const { result } = await turn(cli, { w: [bypass] });
    expect(result).toMatchObject({ permission_denials: [{ tool_use_id: 'w' }] });
    expect(toolResult(cli.lines.find(({ type }) => type === 'user'))?.content).toContain('was not permitted');
    expect(existsSync(join(place.cwd, 'w.txt'))).toBe(false);
    expect(modesIn(cli.lines)).toEqual([]);
  });

  test('[K4, PRM-10, PRM-18] with that permission an update changes to it, and says so', async () => {
    const place = await makePlace([write('w'), trigger('t'), 'done']);
    const cli = startCli([...HOST, '--allow-dangerously-skip-permissions'], { place });
    const { outcomeOf } = await turn(cli, { w: [bypass] });
    expect(modesIn(cli.lines)).toEqual(['bypassPermissions']);
    expect(outcomeOf('t')).toBe('runs');
  });
});

test('a rule that cannot match anything is said, wherever it stands', async () => {
  const place = await makePlace([trigger('t'), 'done', 'again']);
  const rule = (name: string) => ({ permissions: { deny: [name] } });
  put(FILES.userSettings(place), rule('Bahs(user)'));
  put(FILES.projectSettings(place), rule('Bahs(project)'));
  put(FILES.localSettings(place), { permissions: { allow: ['WebFetch(example.com)'] } });
  const cli = startCli(
    [
      ...[...HOST, '--setting-sources', 'user,project,local', '--settings', JSON.stringify(rule('Bahs(flag)'))],
      ...['--managed-settings', JSON.stringify(rule('Bahs(managed)'))],
      ...['--allowedTools', 'Bashes(allowed)', '--disallowedTools', 'Bashes(disallowed)'],
    ],
    { place },
  );
  const update = { type: 'addRules', behavior: 'ask', destination: 'session' };
  await turn(cli, { t: [{ ...update, rules: [{ toolName: 'Bahs', ruleContent: 'update' }] }] });
  put(FILES.userSettings(place), rule('Bahs(reloaded)'));
  await turn(cli, {});
  cli.endInput();
  const { stderr, code } = await cli.finished;
  expect(code).toBe(0);
  const said = (name: string) => stderr.split('\n').filter((line) => line.includes(`(${name})`));
  for (const name of ['user', 'project', 'flag', 'managed', 'allowed', 'disallowed', 'update', 'reloaded']) {
    expect(said(name), name).toEqual([
      expect.stringMatching(/matches nothing: there is no tool (Bahs|Bashes)\..*mean Bash\?/),
    ]);
  }
  expect(said('user')[0]).toContain(FILES.userSettings(place));
  expect(stderr).toContain('WebFetch(example.com)');
  expect(stderr).toContain('domain:HOST');
});
