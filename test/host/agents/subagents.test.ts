import { describe, expect, test } from 'vitest';
import type { ModelRequest } from '../../../src/model/model.ts';
import { createMemoryStore } from '../../../src/sessions/stores/memory-store.ts';
import { fail, hang, reply, text, toolUse } from '../../../src/testing/script.ts';
import type { JsonObject } from '../../../src/util/json.ts';
import { cast, lastText, task } from '../../support/cast.ts';
import { eventually } from '../../support/processes.ts';
import { type Client, createHouse, kindOf, resultsOf } from '../support.ts';

/** The result of the Task call with this id, as the main thread's model got it. */
function taskResult(client: Client, id: string): { text: string; isError: boolean; data: JsonObject } {
  const line = client.of('user').find((each) => resultsOf([each])[0]?.tool_use_id === id);
  const block = resultsOf(line ? [line] : [])[0];
  const content = block?.content as string | { text: string }[];
  const said = typeof content === 'string' ? content : (content ?? []).map((each) => each.text).join('\n');
  return { text: said, isError: block?.is_error === true, data: (line?.tool_use_result ?? {}) as JsonObject };
}

describe('an agent that is waited for', () => {
  const script = {
    MAIN: [task('CHILD do it', {}, 'toolu_t'), 'All done.'],
    CHILD: [[text('Let me see.'), toolUse('Bash', { command: 'echo from-child' })], 'It is done.'],
  };

  test('[SUB-01, SUB-02, SUB-05] runs the same loop, its calls are told with the id of the call that started it', async () => {
    const house = createHouse(cast(script));
    const client = house.connect({ permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true });
    const result = await client.ask('MAIN go');
    expect(result).toMatchObject({ subtype: 'success', result: 'All done.', num_turns: 2 });
    const told = client.lines.filter(({ parent_tool_use_id }) => parent_tool_use_id === 'toolu_t');
    expect(told.map(kindOf)).toEqual(['user', 'assistant', 'user']);
    for (const line of told)
      expect(line).toMatchObject({ subagent_type: 'general-purpose', task_description: 'some work' });
    expect(JSON.stringify(told)).not.toContain('Let me see.');
    const { text: answer, data } = taskResult(client, 'toolu_t');
    expect(answer).toMatch(/^It is done\.\nagentId: a[0-9a-f]{6} .*\n<usage>total_tokens: 117\ntool_uses: 1\n/s);
    expect(data).toMatchObject({ status: 'completed', totalToolUseCount: 1, totalTokens: 117 });
  });

  test('[B-114] its end is told, before the result of its call', async () => {
    const client = createHouse(cast(script)).connect({ allowedTools: ['Bash'] });
    await client.ask('MAIN go');
    const ends = client.lines.map((line) =>
      resultsOf([line])[0]?.tool_use_id === 'toolu_t' ? 'result' : kindOf(line),
    );
    expect(ends.slice(ends.indexOf('system/task_updated'))).toEqual([
      ...['system/task_updated', 'system/task_notification', 'result', 'assistant', 'result'],
    ]);
    expect(client.of('system/task_notification')).toMatchObject([
      { tool_use_id: 'toolu_t', status: 'completed', usage: { tool_uses: 1, total_tokens: 117 } },
    ]);
  });

  test('[B-051, B-146] all that it says is told where that is wanted, with who says it', async () => {
    const house = createHouse(cast(script));
    const client = house.connect({
      ...{ permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true },
      forwardSubagentText: true,
    });
    await client.ask('MAIN go');
    const told = client.lines.filter(({ parent_tool_use_id }) => parent_tool_use_id === 'toolu_t');
    expect(JSON.stringify(told)).toContain('Let me see.');
    expect(JSON.stringify(told)).toContain('It is done.');
    const { agentId } = taskResult(client, 'toolu_t').data;
    const who = { agent_id: agentId, subagent_type: 'general-purpose', task_description: 'some work' };
    for (const line of told) expect(line).toMatchObject(who);
  });

  test('[B-042] the usage of the result is that of the main thread, the usage per model that of all', async () => {
    const client = createHouse(cast(script)).connect({ allowedTools: ['Bash'] });
    const { usage, modelUsage } = await client.ask('MAIN go');
    expect(usage.output_tokens).toBe(14);
    expect(Object.values(modelUsage).reduce((sum, { outputTokens }) => sum + outputTokens, 0)).toBe(28);
  });

  test('[SUB-07] has a transcript of its own, linked by its id and the session', async () => {
    const house = createHouse(cast(script));
    const client = house.connect({ allowedTools: ['Bash'] });
    const { session_id: sessionId } = await client.ask('MAIN go');
    const agentId = String(taskResult(client, 'toolu_t').data.agentId);
    const entries: JsonObject[] = [];
    const key = { project: house.dir, sessionId, agentId };
    for await (const item of house.store.load(key)) if ('entry' in item) entries.push(item.entry);
    expect(entries.every((entry) => entry.isSidechain === true && entry.agentId === agentId)).toBe(true);
    expect(entries[0]).toMatchObject({ parentUuid: null, message: { role: 'user', content: 'CHILD do it' } });
    expect((await house.entries(sessionId)).some((entry) => entry.isSidechain === true)).toBe(false);
  });

  test('[SUB-08] knows nothing of the conversation, and has neither the tools of the main thread nor those to start others', async () => {
    const requests: ModelRequest[] = [];
    const play = cast(script);
    const house = createHouse((request) => {
      requests.push(request);
      return play(request);
    });
    await house.connect({ allowedTools: ['Bash'] }).ask('MAIN go');
    const [main, child] = [requests[0], requests[1]];
    expect(JSON.stringify(child?.messages)).not.toContain('MAIN');
    expect(child?.system).not.toEqual(main?.system);
    const names = child?.tools.map(({ name }) => name) ?? [];
    expect(names).toContain('Bash');
    for (const name of ['Task', 'TaskOutput', 'TaskStop', 'EnterPlanMode', 'ExitPlanMode']) {
      expect(main?.tools.map((tool) => tool.name)).toContain(name);
      expect(names).not.toContain(name);
    }
  });
});

test('several in one answer run side by side, each with its own result', async () => {
  let running = 0;
  let most = 0;
  const slow = async () => {
    most = Math.max(most, ++running);
    await eventually(() => most === 2);
    running--;
    return 'done';
  };
  const client = createHouse(
    cast({ MAIN: [[task('ONE', {}, 't1'), task('TWO', {}, 't2')], 'Both.'], ONE: [slow], TWO: [slow] }),
  ).connect();
  await client.ask('MAIN go');
  expect(most).toBe(2);
  expect([taskResult(client, 't1').isError, taskResult(client, 't2').isError]).toEqual([false, false]);
});

test('several in one answer begin in the order of their calls', async () => {
  const ids = ['t1', 't2', 't3', 't4', 't5', 't6'];
  const client = createHouse(
    cast({ MAIN: [ids.map((id) => task('CHILD', {}, id)), 'All.'], CHILD: ['done'] }),
  ).connect();
  await client.ask('MAIN go');
  expect(client.of('system/task_started').map(({ tool_use_id }) => tool_use_id)).toEqual(ids);
});

test('[B-115] its progress is told behind the call, with the tokens that it has in mind', async () => {
  const client = createHouse(
    cast({ MAIN: [task('CHILD', {}, 't'), 'ok'], CHILD: [toolUse('Bash', { command: 'echo' }), 'done'] }),
  ).connect({ allowedTools: ['Bash'] });
  await client.ask('MAIN go');
  const [progress, ...more] = client.of('system/task_progress');
  expect(more).toEqual([]);
  const usage = progress?.usage as { total_tokens: number; tool_uses: number } | undefined;
  expect([progress?.last_tool_name, usage?.tool_uses]).toEqual(['Bash', 1]);
  expect(usage?.total_tokens).toBeGreaterThan(100);
  const at = client.lines.indexOf(progress ?? {});
  expect(client.lines[at - 1]).toMatchObject({ type: 'assistant', parent_tool_use_id: 't' });
});

describe('which agent', () => {
  test('an unknown kind is an error that names those there are', async () => {
    const client = createHouse(cast({ MAIN: [task('x', { subagent_type: 'nobody' }, 't'), 'ok'] })).connect();
    await client.ask('MAIN go');
    expect(taskResult(client, 't')).toMatchObject({ isError: true });
    expect(taskResult(client, 't').text).toMatch(/'nobody'.*Bash, general-purpose, Explore, Plan/s);
  });

  test('[K37, B-036] Agent is another name of the tool, and a kind need not be named', async () => {
    const call = toolUse('Agent', { description: 'some work', prompt: 'CHILD go' }, 't');
    const client = createHouse(cast({ MAIN: [call, 'ok'], CHILD: ['done'] })).connect();
    await client.ask('MAIN go');
    expect(taskResult(client, 't').text).toMatch(/^done\n/);
  });

  test('[K37] a deny rule takes away one kind, by either name of the tool', async () => {
    const call = task('CHILD go', { subagent_type: 'Explore' }, 't');
    const client = createHouse(cast({ MAIN: [call, 'ok'], CHILD: ['done'] })).connect({
      disallowedTools: ['Agent(Explore)'],
    });
    await client.ask('MAIN go');
    expect(taskResult(client, 't').isError).toBe(true);
  });

  test('[TYP-10, TYP-11, TYP-12] one of the host: its description, tools, prompt and turns', async () => {
    const requests: ModelRequest[] = [];
    const play = cast({
      MAIN: [task('CHILD go', { subagent_type: 'helper' }, 't'), 'ok'],
      CHILD: [toolUse('Bash', { command: 'echo 1' }), toolUse('Bash', { command: 'echo 2' }), 'never'],
    });
    const house = createHouse((request) => {
      requests.push(request);
      return play(request);
    });
    const helper = { description: 'helps', prompt: 'You are the helper.', tools: ['Bash', 'Read'], maxTurns: 2 };
    const client = house.connect({ agents: JSON.stringify({ helper }), allowedTools: ['Bash'] });
    await client.ask('MAIN go');
    expect(requests[1]?.system.join('\n')).toContain('You are the helper.');
    expect(requests[1]?.tools.map(({ name }) => name)).toEqual(['Bash', 'Read']);
    expect(requests[0]?.tools.find(({ name }) => name === 'Task')?.description).toContain('- helper: helps');
    expect(taskResult(client, 't').text).toContain('stopped after 2 rounds');
  });

  test('those that `initialize` brings are told to the model and can be started', async () => {
    const call = task('CHILD go', { subagent_type: 'late' }, 't');
    const client = createHouse(cast({ MAIN: [call, 'ok'], CHILD: ['done'] })).connect();
    const agents = { late: { description: 'comes late', prompt: 'You came late.' } };
    await client.control({ subtype: 'initialize', agents });
    await client.ask('MAIN go');
    expect(client.of('system/init')[0]?.agents).toContain('late');
    expect(taskResult(client, 't').text).toMatch(/^done\n/);
  });
});

describe('resume', () => {
  test('[B-210] goes on with all that the agent knows, in the same file', async () => {
    let seen: ModelRequest | null = null;
    const house = createHouse(
      cast({
        MAIN: [
          task('CHILD learn', {}, 't1'),
          (request) => task('CHILD and now?', { resume: /agentId: (\S+)/.exec(lastText(request))?.[1] }, 't2'),
          'ok',
        ],
        CHILD: [
          'I know 42.',
          (request) => {
            seen = request;
            return 'Still 42.';
          },
        ],
      }),
    );
    const client = house.connect();
    await client.ask('MAIN go');
    expect(JSON.stringify(seen)).toContain('I know 42.');
    expect(taskResult(client, 't2').text).toMatch(/^Still 42\.\n/);
    expect(taskResult(client, 't2').data.agentId).toBe(taskResult(client, 't1').data.agentId);
  });

  test.each(['a000000', '../../etc/passwd', 'nobody'])('%s is no agent of this session, and is told so', async (id) => {
    const client = createHouse(cast({ MAIN: [task('CHILD', { resume: id }, 't'), 'ok'] })).connect();
    await client.ask('MAIN go');
    expect(taskResult(client, 't')).toMatchObject({ isError: true });
    expect(taskResult(client, 't').text).toContain(id);
  });
});

describe('permissions', () => {
  const writes = (mode?: string) => ({
    MAIN: [task('CHILD go', mode === undefined ? {} : { subagent_type: 'own' }, 't'), 'ok'],
    CHILD: [toolUse('Bash', { command: 'touch made' }, 'toolu_child'), 'done'],
  });
  const own = (permissionMode: string) => JSON.stringify({ own: { description: 'd', prompt: 'p', permissionMode } });

  test('[B-014] questions name the agent that asks', async () => {
    const asked: JsonObject[] = [];
    const house = createHouse(cast(writes()));
    const client = house.connect(
      { permissionPromptTool: 'stdio' },
      {
        answer(request) {
          asked.push(request);
          return { behavior: 'allow' };
        },
      },
    );
    await client.ask('MAIN go');
    const agentId = taskResult(client, 't').data.agentId;
    expect(asked).toEqual([
      expect.objectContaining({ tool_name: 'Bash', tool_use_id: 'toolu_child', agent_id: agentId }),
    ]);
  });

  test.each([
    ['bypassPermissions', 'default', true],
    ['default', 'bypassPermissions', true],
    ['default', 'acceptEdits', true],
    ['bypassPermissions', 'bypassPermissions', false],
    ['acceptEdits', 'plan', true],
  ] as const)('a session in %s with an agent in %s: the narrower one holds', async (mode, agentMode, isDenied) => {
    const house = createHouse(cast(writes(agentMode)));
    const launched = { permissionMode: mode, allowDangerouslySkipPermissions: true, agents: own(agentMode) };
    const client = house.connect(launched);
    await client.ask('MAIN go');
    const child = resultsOf(client.of('user')).find(({ tool_use_id }) => tool_use_id === 'toolu_child');
    expect(child?.is_error === true).toBe(isDenied);
  });

  test('a deny rule of the session binds its agents', async () => {
    const client = createHouse(cast(writes())).connect({
      ...{ permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true },
      settings: JSON.stringify({ permissions: { deny: ['Bash(touch:*)'] } }),
    });
    await client.ask('MAIN go');
    const child = resultsOf(client.of('user')).find(({ tool_use_id }) => tool_use_id === 'toolu_child');
    expect(child).toMatchObject({ is_error: true });
  });
});

describe('nesting', () => {
  const boss = (tools: string[]) => JSON.stringify({ boss: { description: 'd', prompt: 'p', tools } });

  test('[B-212, B-159] an agent whose kind names the tool may start others, whose lines name their own call', async () => {
    const client = createHouse(
      cast({
        MAIN: [task('BOSS go', { subagent_type: 'boss' }, 't1'), 'ok'],
        BOSS: [task('CHILD go', {}, 't2'), 'boss done'],
        CHILD: [toolUse('Read', { file_path: 'nope' }, 't3'), 'child done'],
      }),
    ).connect({ agents: boss(['Task', 'Read']) });
    await client.ask('MAIN go');
    const call = client.of('assistant').find((line) => JSON.stringify(line).includes('"t3"'));
    expect(call?.parent_tool_use_id).toBe('t2');
    const started = client.of('system/task_started');
    expect(started.map(({ spawn_depth }) => spawn_depth)).toEqual([1, 2]);
    expect(started[1]?.parent_task_id).toBe(started[0]?.task_id);
    expect(new Set(started.map(({ run_id }) => run_id)).size).toBe(2);
  });

  test('is bounded: below the deepest level the tool is not there', async () => {
    const requests: ModelRequest[] = [];
    const again = (level: number) => task(`LEVEL${level} go`, { subagent_type: 'boss' });
    const play = cast({
      MAIN: [again(1), 'ok'],
      LEVEL1: [again(2), 'ok'],
      LEVEL2: [again(3), 'ok'],
      LEVEL3: [again(4), 'ok'],
    });
    const house = createHouse((request) => {
      requests.push(request);
      return play(request);
    });
    const client = house.connect({ agents: boss(['Task']) });
    expect(await client.ask('MAIN go')).toMatchObject({ subtype: 'success', result: 'ok' });
    const deepest = requests.find(({ messages }) => JSON.stringify(messages[0]).includes('LEVEL3'));
    expect(deepest?.tools).toEqual([]);
  });
});

describe('ends', () => {
  test('[LOOP-15] an interrupt reaches the agent, and the turn has one result', async () => {
    const client = createHouse(cast({ MAIN: [task('CHILD go', {}, 't'), 'never'], CHILD: [hang()] })).connect();
    client.say('MAIN go');
    await client.until(() => client.of('system/task_started').length > 0);
    await client.control({ subtype: 'interrupt' });
    const result = await client.result(0);
    expect(result).toMatchObject({ subtype: 'error_during_execution', terminal_reason: 'aborted_tools' });
    expect(client.of('system/task_updated').at(-1)).toMatchObject({ patch: { status: 'killed' } });
    await client.end();
    expect(client.results).toHaveLength(1);
  });

  test('a failure of the model is an error result, by which the agent can be gone on with', async () => {
    const house = createHouse(
      cast({ MAIN: [task('CHILD go', {}, 't'), 'ok'], CHILD: [fail(400, 'invalid_request_error', 'No such thing')] }),
    );
    const client = house.connect();
    await client.ask('MAIN go');
    expect(taskResult(client, 't').text).toMatch(/The agent failed: .*No such thing.*\nagentId: a/s);
  });

  test('the budget binds agents: what they spend counts, and no call follows beyond it', async () => {
    let calls = 0;
    const dear = { usage: { output_tokens: 1_000_000 } };
    const spend = () => {
      calls++;
      return reply([toolUse('Bash', { command: 'echo x' })], dear);
    };
    const house = createHouse(
      cast({ MAIN: [task('CHILD go', {}, 't'), 'never'], CHILD: [spend, spend, spend, spend] }),
    );
    const client = house.connect({ model: 'claude-sonnet-4-5', maxBudgetUsd: 1, allowedTools: ['Bash'] });
    const result = await client.ask('MAIN go');
    expect(result).toMatchObject({ subtype: 'error_max_budget_usd', is_error: true });
    expect(calls).toBe(1);
  });

  test('a store that breaks in the agent breaks the call, not the session', async () => {
    const memory = createMemoryStore();
    const store = {
      ...memory,
      append: async (...[key, ...rest]: Parameters<typeof memory.append>) => {
        if (key.agentId !== undefined) throw new Error('disk full');
        return memory.append(key, ...rest);
      },
    };
    const client = createHouse(cast({ MAIN: [task('CHILD go', {}, 't'), 'ok'], CHILD: ['done'] }), { store }).connect();
    expect(await client.ask('MAIN go')).toMatchObject({ result: 'ok' });
    expect(taskResult(client, 't')).toMatchObject({ isError: true });
    expect(taskResult(client, 't').text).toContain('disk full');
  });
});
