import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ModelRequest } from '../../../src/model/model.ts';
import { createJsonlStore } from '../../../src/sessions/stores/jsonl-store.ts';
import { type AnswerLike, toolUse } from '../../../src/testing/script.ts';
import type { JsonObject } from '../../../src/util/json.ts';
import type { RunConfig } from '../../../src/wire/run-config.ts';
import { cast, type Line, task } from '../../support/cast.ts';
import { put } from '../../support/put.ts';
import { createHouse, tempDir } from '../support.ts';

const BYPASS = { permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true } as const;
const ASKING = { permissionPromptTool: 'stdio' } as const;
const touch = (name: string) => toolUse('Bash', { command: `touch ${name}` }, `toolu_${name}`);
const write = (path: string, id: string) => toolUse('Write', { file_path: path, content: 'x' }, id);

/** Agents by name; all that is not said is the usual. */
function agents(kinds: Record<string, JsonObject>): Pick<RunConfig, 'agents'> {
  const all = Object.entries(kinds).map(([name, fields]) => [name, { description: 'd', prompt: 'p', ...fields }]);
  return { agents: JSON.stringify(Object.fromEntries(all)) };
}

/** A house whose model plays these parts, and what became of the calls, by id, whoever made them. */
function play(parts: Record<string, readonly Line<ModelRequest>[]>, options = {}) {
  const results = new Map<string, { isError: boolean; text: string }>();
  const answer = cast(parts);
  const house = createHouse((request: ModelRequest): Promise<AnswerLike> => {
    for (const { content } of request.messages) {
      for (const block of content) {
        if (block.type !== 'tool_result') continue;
        results.set(block.tool_use_id, { isError: block.is_error === true, text: JSON.stringify(block.content) });
      }
    }
    return answer(request);
  }, options);
  const has = (name: string) => existsSync(join(house.dir, name));
  return { house, results, has };
}

describe('tools', () => {
  const script = (kind: string) => ({
    MAIN: [task('CHILD go', { subagent_type: kind }), 'ok'],
    CHILD: [touch('made'), 'done'],
  });

  test.each([
    ['a list without it', { tools: ['Read'] }],
    ['a list of what it may not have', { disallowedTools: ['Bash'] }],
    ['both', { tools: ['Bash', 'Read'], disallowedTools: ['Bash'] }],
  ])('[K7] %s: the tool is not there, in every mode', async (_name, fields) => {
    const { house, results, has } = play(script('kind'));
    await house.connect({ ...BYPASS, ...agents({ kind: fields }) }).ask('MAIN go');
    expect(results.get('toolu_made')?.text).toContain('No such tool');
    expect(has('made')).toBe(false);
  });

  test('[K7] what it may not have of a tool is denied, in every mode', async () => {
    const { house, has } = play({
      MAIN: [task('CHILD go', { subagent_type: 'kind' }), touch('by-main'), 'ok'],
      CHILD: [[touch('made'), toolUse('Bash', { command: 'mkdir folder' })], 'done'],
    });
    const kind = { disallowedTools: ['Bash(touch:*)'] };
    await house.connect({ ...BYPASS, ...agents({ kind }) }).ask('MAIN go');
    expect([has('made'), has('folder'), has('by-main')]).toEqual([false, true, true]);
  });

  test('[R-18] one whose list cannot be read is not started', async () => {
    const { house, has } = play(script('kind'));
    await house.connect({ ...BYPASS, ...agents({ kind: { disallowedTools: ['Bash(touch'] } }) }).ask('MAIN go');
    expect(has('made')).toBe(false);
  });

  test('[K4] one with a mode that does not exist is not started', async () => {
    const { house, has } = play(script('kind'));
    await house.connect({ ...BYPASS, ...agents({ kind: { permissionMode: 'careful' } }) }).ask('MAIN go');
    expect(has('made')).toBe(false);
  });

  test('an agent of an agent has no tool that this one has not, whatever its kind says', async () => {
    const { house, results, has } = play({
      MAIN: [task('BOSS go', { subagent_type: 'boss' }), 'ok'],
      BOSS: [task('CHILD go', { subagent_type: 'kind' }), 'ok'],
      CHILD: [touch('made'), 'done'],
    });
    const kinds = agents({ boss: { tools: ['Task', 'Read'] }, kind: { tools: ['Bash', 'Read'] } });
    await house.connect({ ...BYPASS, ...kinds }).ask('MAIN go');
    expect(results.get('toolu_made')?.text).toContain('No such tool');
    expect(has('made')).toBe(false);
  });

  test('[K7] what the launch takes away is not there for agents either, and what it allows runs unasked', async () => {
    const { house, has } = play({
      MAIN: [task('CHILD go'), 'ok'],
      CHILD: [[touch('allowed'), touch('other'), write('file', 'w')], 'done'],
    });
    await house.connect({ allowedTools: ['Bash(touch allowed)'], disallowedTools: ['Write'] }).ask('MAIN go');
    expect([has('allowed'), has('other'), has('file')]).toEqual([true, false, false]);
  });
});

describe('[K37] rules for kinds of agents', () => {
  const kinds = agents({ boss: { tools: ['Task'] }, open: {}, asked: {}, shut: {} });
  const rules = { permissions: { ask: ['Task(asked)'], deny: ['Agent(shut)'] } };
  const startAll = (prefix: string) =>
    ['open', 'asked', 'shut'].map((kind) => task('KID', { subagent_type: kind }, `${prefix}-${kind}`));

  test.each([
    ...['default', 'acceptEdits', 'auto', 'plan', 'delegate', 'bypassPermissions'].map((mode) => [mode, true] as const),
    ['dontAsk', false] as const,
  ])('hold for the main thread and for agents that start others: %s', async (mode, asks) => {
    const asked: unknown[] = [];
    const { house, results } = play({
      MAIN: [
        [
          ...startAll('main'),
          task('BOSS', { subagent_type: 'boss' }),
          task('REAR', { subagent_type: 'boss', run_in_background: true }),
        ],
        'ok',
        'told',
      ],
      BOSS: [startAll('boss'), 'ok'],
      REAR: [startAll('rear'), 'ok'],
      KID: ['done'],
    });
    const client = house.connect(
      {
        ...ASKING,
        ...kinds,
        settings: JSON.stringify(rules),
        permissionMode: mode,
        allowDangerouslySkipPermissions: true,
      },
      {
        answer({ tool_use_id }) {
          asked.push(tool_use_id);
          return { behavior: 'deny', message: 'no' };
        },
      },
    );
    await client.ask('MAIN go');
    await client.result(1);
    for (const who of ['main', 'boss', 'rear']) {
      expect(results.get(`${who}-open`)?.isError, who).toBe(false);
      expect(results.get(`${who}-asked`)?.isError, who).toBe(true);
      expect(results.get(`${who}-shut`)?.isError, who).toBe(true);
    }
    expect(asked.sort()).toEqual(asks ? ['boss-asked', 'main-asked', 'rear-asked'] : []);
  });

  test.each(['shut', 'Shut', 'SHUT', 's_hut', ' shut '])('a denied kind is not started as %j', async (name) => {
    const { house, results } = play({ MAIN: [task('KID', { subagent_type: name }, 't'), 'ok'], KID: ['done'] });
    await house.connect({ ...BYPASS, ...kinds, disallowedTools: ['Task(shut)'] }).ask('MAIN go');
    expect(results.get('t')?.isError).toBe(true);
    expect(house.model.requests).toHaveLength(2);
  });

  test('nor where the rule is written otherwise, nor by an input that the host changes', async () => {
    const { house, results } = play({ MAIN: [task('KID', { subagent_type: 'open' }, 't'), 'ok'], KID: ['done'] });
    const settings = JSON.stringify({ permissions: { ask: ['Task(open)'], deny: ['Task(SHUT)'] } });
    const changed = { description: 'd', prompt: 'KID', subagent_type: 's-hut' };
    const answer = () => ({ behavior: 'allow', updatedInput: changed });
    await house.connect({ ...ASKING, ...kinds, settings }, { answer }).ask('MAIN go');
    expect(results.get('t')?.isError).toBe(true);
    expect(house.model.requests).toHaveLength(2);
  });

  test('nor is one gone on with that was started before the rule was there', async () => {
    const { house, results } = play({
      MAIN: [
        task('KID', { subagent_type: 'shut' }, 't1'),
        toolUse('Bash', { command: 'npm test' }, 'question'),
        () =>
          task(
            'KID',
            { subagent_type: 'open', resume: /agentId: (\S+)/.exec(results.get('t1')?.text ?? '')?.[1] },
            't2',
          ),
        'ok',
      ],
      KID: ['done', 'again'],
    });
    const update = {
      type: 'addRules',
      behavior: 'deny',
      destination: 'session',
      rules: [{ toolName: 'Task', ruleContent: 'shut' }],
    };
    const answer = () => ({ behavior: 'allow', updatedPermissions: [update] });
    await house.connect({ ...ASKING, ...kinds }, { answer }).ask('MAIN go');
    expect([results.get('t1')?.isError, results.get('t2')?.isError]).toEqual([false, true]);
  });
});

describe('what is granted', () => {
  const skill = '---\nname: maker\ndescription: Makes\nallowed-tools: Bash(touch:*)\n---\nMake it.\n';
  const load = toolUse('Skill', { skill: 'maker' });

  test('by a skill that an agent loads holds in that agent alone', async () => {
    let onLoaded = () => {};
    const loaded = new Promise<void>((resolve) => {
      onLoaded = resolve;
    });
    const { house, has } = play({
      MAIN: [[task('LOADER go', { subagent_type: 'boss' }), task('SIBLING go')], touch('by-main'), 'ok'],
      LOADER: [load, touch('by-loader'), task('NESTED go'), 'done'],
      NESTED: [touch('by-nested'), 'done'],
      SIBLING: [
        async () => {
          await loaded;
          return touch('by-sibling');
        },
        'done',
      ],
    });
    put(join(house.dir, '.claude/skills/maker/SKILL.md'), skill);
    const client = house.connect({
      ...{ trust: true, allowedTools: ['Skill(maker)'] },
      ...agents({ boss: { tools: ['Task', 'Skill', 'Bash'] } }),
    });
    client.say('MAIN go');
    await client.until(() => has('by-loader'));
    onLoaded();
    await client.result(0);
    const made = ['by-loader', 'by-sibling', 'by-nested', 'by-main'].map(has);
    expect(made).toEqual([true, false, false, false]);
  });

  test('by a skill of the main thread does not hold in its agents', async () => {
    const { house, has } = play({
      MAIN: [load, [touch('by-main'), task('CHILD go')], 'ok'],
      CHILD: [touch('by-child'), 'done'],
    });
    put(join(house.dir, '.claude/skills/maker/SKILL.md'), skill);
    await house.connect({ trust: true, allowedTools: ['Skill(maker)'] }).ask('MAIN go');
    expect([has('by-main'), has('by-child')]).toEqual([true, false]);
  });

  test('[PRM-06] by the host with an answer to an agent holds for the session', async () => {
    const rules = [{ toolName: 'Bash', ruleContent: 'touch:*' }];
    const update = { type: 'addRules', behavior: 'allow', destination: 'session', rules };
    const { house, has } = play({
      MAIN: [task('FIRST go'), touch('by-main'), task('SECOND go'), 'ok'],
      FIRST: [touch('by-first'), 'done'],
      SECOND: [touch('by-second'), 'done'],
    });
    let asked = 0;
    const answer = () => {
      asked++;
      return { behavior: 'allow', updatedPermissions: [update] };
    };
    await house.connect(ASKING, { answer }).ask('MAIN go');
    expect([has('by-first'), has('by-main'), has('by-second'), asked]).toEqual([true, true, true, 1]);
  });

  test('[PRM-10] a mode that the host sets with an answer is that of the session; an agent stays in its own', async () => {
    const update = { type: 'setMode', mode: 'acceptEdits', destination: 'session' };
    const asked: unknown[] = [];
    const { house } = play({
      MAIN: [task('CHILD go', { subagent_type: 'careful' }), write('by-main', 'main'), 'ok'],
      CHILD: [write('one', 'one'), write('two', 'two'), 'done'],
    });
    const client = house.connect(
      { ...ASKING, ...agents({ careful: { permissionMode: 'default' } }) },
      {
        answer({ tool_use_id }) {
          asked.push(tool_use_id);
          return { behavior: 'allow', updatedPermissions: [update] };
        },
      },
    );
    await client.ask('MAIN go');
    expect(asked).toEqual(['one', 'two']);
  });
});

describe('plan mode', () => {
  test('agents only read: the plan is written by the main thread', async () => {
    const home = tempDir();
    let plan = '';
    const answers = {
      MAIN: [
        toolUse('EnterPlanMode', {}),
        (request: ModelRequest) => {
          plan = /(\/\S+\/plans\/\S+\.md)/.exec(JSON.stringify(request))?.[1] ?? '';
          return [task('CHILD go'), write(plan, 'by-main')];
        },
        'ok',
      ],
      CHILD: [
        () => [write(plan, 'by-child'), write('file', 'file'), toolUse('Read', { file_path: 'there' }, 'read')],
        'done',
      ],
    };
    const { house, results } = play(answers, { home });
    house.file('there', 'x');
    await house.connect({ allowedTools: ['EnterPlanMode', 'Write'] }).ask('MAIN go');
    expect(plan).toContain(home);
    expect(results.get('by-main')?.isError).toBe(false);
    expect(results.get('by-child')?.isError).toBe(true);
    expect(results.get('file')?.isError).toBe(true);
    expect(results.get('read')?.isError).toBe(false);
  });
});

test('teammates: nobody but the leader starts them, and the mode of the call narrows theirs', async () => {
  const home = tempDir();
  const mate = (prompt: string, name: string, more = {}) =>
    task(prompt, { team_name: 'crew', name, ...more }, `start-${name}`);
  const { house, results, has } = play(
    {
      MAIN: [
        toolUse('TeamCreate', { team_name: 'crew', description: 'd' }),
        [
          mate('MATE go', 'mate', { mode: 'dontAsk' }),
          mate('MATE go', 'odd', { mode: 'careful' }),
          task('BOSS go', { subagent_type: 'boss' }),
        ],
        ...Array.from({ length: 8 }, () => 'ok'),
      ],
      BOSS: [mate('SPY go', 'spy'), 'done'],
      MATE: [touch('by-mate'), 'done'],
      SPY: [touch('by-spy'), 'done'],
    },
    { home },
  );
  const boss = { tools: ['Task', 'Read'], permissionMode: 'plan' };
  const client = house.connect({ ...BYPASS, teams: true, ...agents({ boss }) });
  client.say('MAIN go');
  await client.end();
  expect(results.get('start-spy')?.text).toContain('Only the one who leads');
  expect(results.get('start-odd')?.isError).toBe(true);
  expect(results.get('start-mate')?.isError).toBe(false);
  expect([has('by-mate'), has('by-spy')]).toEqual([false, false]);
  expect(readFileSync(join(home, 'teams/crew/config.json'), 'utf8')).toContain('"mode": "dontAsk"');
});

test('the transcript of an agent can be read where its start says, and no other session of the home', async () => {
  const home = tempDir();
  const other = put(join(home, 'projects', 'other', 'secret.jsonl'), 'x');
  const store = createJsonlStore({ home, log: () => {} });
  const { house, results } = play(
    {
      MAIN: [
        task('CHILD go', { run_in_background: true }, 't'),
        () => [
          toolUse('Read', { file_path: /(\/\S+\.output)/.exec(results.get('t')?.text ?? '')?.[1] }, 'own'),
          toolUse('Read', { file_path: other }, 'other'),
        ],
        'ok',
        'heard',
      ],
      CHILD: ['done'],
    },
    { home, store },
  );
  const client = house.connect();
  await client.ask('MAIN go');
  await client.result(1);
  expect([results.get('own')?.isError, results.get('other')?.isError]).toEqual([false, true]);
});
