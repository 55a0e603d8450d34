import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ModelRequest } from '../../../src/model/model.ts';
import { toolUse } from '../../../src/testing/script.ts';
import type { JsonObject } from '../../../src/util/json.ts';
import { settingsWith } from '../../hooks/support.ts';
import { cast, task } from '../../support/cast.ts';
import { put } from '../../support/put.ts';
import { type Client, createHouse, type House, tempDir } from '../support.ts';

const BYPASS = { permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true } as const;
const bash = (command: string) => toolUse('Bash', { command });

/** A hook that writes down what it is told. */
const noting = (file: string) => ({ type: 'command', command: `cat >> "$CLAUDE_PROJECT_DIR/${file}"` });

function noted(house: House, file: string): JsonObject[] {
  const path = join(house.dir, file);
  if (!existsSync(path)) return [];
  const texts = readFileSync(path, 'utf8').replaceAll('}{', '}\n{').split('\n').filter(Boolean);
  return texts.map((text) => JSON.parse(text));
}

/** A command for one event, as front matter has it. */
function frontMatter(event: string, { command }: { command: string }): string {
  const quoted = `'${command.replaceAll("'", "''")}'`;
  return `hooks:\n  ${event}:\n    - hooks:\n        - type: command\n          command: ${quoted}\n`;
}

/** The file of an agent with hooks. */
function agentFile(house: House, name: string, hooks: string): void {
  put(join(house.dir, `.claude/agents/${name}.md`), `---\nname: ${name}\ndescription: d\n${hooks}---\nYou are it.\n`);
}

describe('hooks in the file of an agent', () => {
  const guard = frontMatter('PreToolUse', noting('guard'));
  const script = {
    MAIN: [
      bash('echo main'),
      [task('GUARDED go', { subagent_type: 'guarded' }), task('OTHER go')],
      bash('echo after'),
      'ok',
    ],
    GUARDED: [bash('echo guarded'), 'done'],
    OTHER: [bash('echo other'), 'done'],
  };

  test.each([
    ['where the session has none', {}],
    ['beside those of the session', { settings: settingsWith({ PreToolUse: [noting('session')] }) }],
  ])('[SUB-06, HK-09] act for its calls and nobody else, %s', async (_name, config) => {
    const house = createHouse(cast(script));
    agentFile(house, 'guarded', guard);
    await house.connect({ ...BYPASS, trust: true, ...config }).ask('MAIN go');
    const commands = noted(house, 'guard').map(({ tool_input }) => (tool_input as JsonObject).command);
    expect(commands).toEqual(['echo guarded']);
    expect(noted(house, 'guard')[0]).toMatchObject({ agent_type: 'guarded', permission_mode: 'bypassPermissions' });
  });

  test('[G1] not in a directory that is not trusted, which is said', async () => {
    const house = createHouse(cast(script));
    agentFile(house, 'guarded', guard);
    const client = house.connect(BYPASS);
    await client.ask('MAIN go');
    expect(noted(house, 'guard')).toEqual([]);
    expect(JSON.stringify(client.of('system/init')[0]?.trust)).toContain('guarded.md');
  });

  test('not where settings want none', async () => {
    const house = createHouse(cast(script));
    agentFile(house, 'guarded', guard);
    await house.connect({ ...BYPASS, trust: true, settings: '{"disableAllHooks":true}' }).ask('MAIN go');
    expect(noted(house, 'guard')).toEqual([]);
  });

  test('[HK-10] Stop means its own end, and may have it go on', async () => {
    const house = createHouse(
      cast({
        MAIN: [task('STOPPER go', { subagent_type: 'stopper' }), 'ok'],
        STOPPER: ['too early', (request: ModelRequest) => `I heard: ${JSON.stringify(request.messages.at(-1))}`],
      }),
    );
    const command = `cat >> "$CLAUDE_PROJECT_DIR/stop"; [ -e once ] || { touch once; echo "not yet" >&2; exit 2; }`;
    agentFile(house, 'stopper', frontMatter('Stop', { command }));
    const client = house.connect({ ...BYPASS, trust: true });
    await client.ask('MAIN go');
    expect(JSON.stringify(client.of('user'))).toContain('SubagentStop hook feedback:');
    const [first, second, ...more] = noted(house, 'stop');
    expect(more).toEqual([]);
    expect(first).toMatchObject({
      hook_event_name: 'SubagentStop',
      stop_hook_active: false,
      last_assistant_message: 'too early',
      background_tasks: [],
    });
    expect(second).toMatchObject({ stop_hook_active: true });
  });

  test('can deny what the session allows', async () => {
    const house = createHouse(
      cast({
        MAIN: [task('SHY go', { subagent_type: 'shy' }), bash('touch main'), 'ok'],
        SHY: [bash('touch shy'), 'done'],
      }),
    );
    agentFile(house, 'shy', frontMatter('PreToolUse', { command: 'exit 2' }));
    await house.connect({ ...BYPASS, trust: true }).ask('MAIN go');
    expect([existsSync(join(house.dir, 'shy')), existsSync(join(house.dir, 'main'))]).toEqual([false, true]);
  });

  test('are there for the whole session where the main thread is that agent', async () => {
    const house = createHouse([bash('echo hi'), 'done']);
    agentFile(house, 'guarded', guard);
    await house.connect({ ...BYPASS, trust: true, agent: 'guarded' }).ask('go');
    expect(noted(house, 'guard')).toHaveLength(1);
  });

  test('are there again when it is gone on with, once', async () => {
    const house = createHouse(
      cast({
        MAIN: [
          task('GUARDED go', { subagent_type: 'guarded' }),
          (request: ModelRequest) =>
            task('more', { resume: /agentId: (\w+)/.exec(JSON.stringify(request.messages.at(-1)))?.[1] }),
          'ok',
        ],
        GUARDED: [bash('echo one'), 'done', bash('echo two'), 'done'],
      }),
    );
    agentFile(house, 'guarded', guard);
    await house.connect({ ...BYPASS, trust: true }).ask('MAIN go');
    expect(noted(house, 'guard')).toHaveLength(2);
  });
});

describe('hooks of a skill that an agent loads', () => {
  test.each([
    ['where the session has none', {}],
    ['beside those of the session', { settings: settingsWith({ PreToolUse: [noting('session')] }) }],
  ])('act inside that agent, %s', async (_name, config) => {
    const house = createHouse(
      cast({
        MAIN: [[task('LOADER go'), task('OTHER go')], bash('echo main'), 'ok'],
        LOADER: [toolUse('Skill', { skill: 'watcher' }), bash('echo loader'), 'done'],
        OTHER: [bash('echo 1'), bash('echo 2'), bash('echo 3'), 'done'],
      }),
    );
    const hooks = frontMatter('PreToolUse', noting('watch'));
    const skill = `---\nname: watcher\ndescription: Watches\n${hooks}---\nWatch.\n`;
    put(join(house.dir, '.claude/skills/watcher/SKILL.md'), skill);
    await house.connect({ ...BYPASS, trust: true, ...config }).ask('MAIN go');
    const commands = noted(house, 'watch').map(({ tool_input }) => (tool_input as JsonObject).command);
    expect(commands).toEqual(['echo loader']);
  });
});

test('what an agent of an agent does is told with its own id and mode', async () => {
  const house = createHouse(
    cast({
      MAIN: [task('BOSS go', { subagent_type: 'boss' }), 'ok'],
      BOSS: [task('CHILD go', { subagent_type: 'kid' }), 'ok'],
      CHILD: [bash('echo hi'), 'done'],
    }),
  );
  const common = { description: 'd', prompt: 'p' };
  const client = house.connect({
    ...BYPASS,
    settings: settingsWith({ PreToolUse: [noting('seen')] }),
    agents: JSON.stringify({
      boss: { ...common, tools: ['Task', 'Bash'] },
      kid: { ...common, permissionMode: 'acceptEdits' },
    }),
  });
  await client.ask('MAIN go');
  const ids = startedIds(client);
  const seen = noted(house, 'seen').map(({ tool_name, agent_id, agent_type, permission_mode }) => {
    return [tool_name, agent_id, agent_type, permission_mode];
  });
  expect(seen).toEqual([
    ['Task', undefined, undefined, 'bypassPermissions'],
    ['Task', ids[0], 'boss', 'bypassPermissions'],
    ['Bash', ids[1], 'kid', 'acceptEdits'],
  ]);
});

describe('[B-192] a hook that asks an agent', () => {
  const asking = (more: JsonObject = {}) =>
    settingsWith({ PreToolUse: [{ type: 'agent', prompt: 'LOOKER is the file there?', ...more }] }, 'Bash');
  const look = toolUse('Read', { file_path: 'there' }, 'look');

  test.each([
    ['{"ok": true}', true],
    ['{"ok": false, "reason": "The file is not as it should be."}', false],
    ['I cannot say.', true],
  ])('which looks for itself, and says %s', async (verdict, isRun) => {
    const requests: ModelRequest[] = [];
    const play = cast({ MAIN: [bash('touch made'), 'ok'], LOOKER: [look, verdict] });
    const house = createHouse((request) => {
      requests.push(request);
      return play(request);
    });
    house.file('there', 'what is in it');
    const client = house.connect({ ...BYPASS, settings: asking() });
    await client.ask('MAIN go');
    expect(existsSync(join(house.dir, 'made'))).toBe(isRun);
    const looker = requests[2];
    expect(looker?.tools.map(({ name }) => name).sort()).toEqual(['Glob', 'Grep', 'Read']);
    expect(JSON.stringify(looker?.messages)).toContain('what is in it');
    expect(JSON.stringify(client.lines)).not.toContain('"look"');
    expect(client.of('system/task_started')).toEqual([]);
  });

  test('can change nothing, asks nobody and no hook', async () => {
    const asked: JsonObject[] = [];
    const outside = join(tempDir(), 'secret');
    put(outside, 'the secret');
    let seen = '';
    const house = createHouse(
      cast({
        MAIN: [bash('touch made'), 'ok'],
        LOOKER: [
          [bash('touch by-looker'), toolUse('Read', { file_path: outside }), look],
          (request: ModelRequest) => {
            seen = JSON.stringify(request.messages.at(-1));
            return '{"ok": true}';
          },
        ],
      }),
    );
    house.file('there', 'x');
    const all = settingsWith({ PreToolUse: [noting('all'), { type: 'agent', prompt: 'LOOKER well?' }] });
    const client = house.connect(
      { allowedTools: ['Bash'], permissionPromptTool: 'stdio', settings: all },
      {
        answer(request) {
          asked.push(request);
          return { behavior: 'allow' };
        },
      },
    );
    await client.ask('MAIN go');
    expect(existsSync(join(house.dir, 'by-looker'))).toBe(false);
    expect(seen).not.toContain('the secret');
    expect(asked).toEqual([]);
    expect(noted(house, 'all').map(({ tool_name }) => tool_name)).toEqual(['Bash']);
  });

  test('spends from the budget of the session', async () => {
    const house = createHouse(cast({ MAIN: [bash('touch made'), 'ok'], LOOKER: [look, '{"ok": true}'] }));
    const { modelUsage } = await house.connect({ ...BYPASS, settings: asking() }).ask('MAIN go');
    const output = Object.values(modelUsage).reduce((sum, { outputTokens }) => sum + outputTokens, 0);
    expect(output).toBe(28);
  });

  test('[K-2] one that fails closes where the hook says so', async () => {
    const house = createHouse(cast({ MAIN: [bash('touch made'), 'ok'], LOOKER: [''] }));
    await house.connect({ ...BYPASS, settings: asking({ onFailure: 'block' }) }).ask('MAIN go');
    expect(existsSync(join(house.dir, 'made'))).toBe(false);
  });
});

function startedIds(client: Client): unknown[] {
  return client.of('system/task_started').map(({ task_id }) => task_id);
}
