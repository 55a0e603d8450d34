import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/util/json.ts';
import { createViewTracker } from '../../src/view/index.ts';
import type { UserInput } from '../../src/wire/messages/user.ts';
import { after, blocksIn, call, done, only, result, system, text } from './lines.ts';

const prompt = (content: string, uuid?: string, more: object = {}): UserInput =>
  ({ type: 'user', message: { role: 'user', content }, ...(uuid && { uuid }), ...more }) as UserInput;
const lifecycle = (command_uuid: string, state: string) => ({ type: 'command_lifecycle', command_uuid, state });

test('a prompt is shown at once where nothing runs, and its echo is not shown again', () => {
  const tracker = createViewTracker();
  tracker.opened({ commands: [] });
  expect(tracker.view.phase).toBe('idle');
  expect(blocksIn(tracker.sent(prompt('Hello', 'p1'), 0))).toMatchObject([
    { kind: 'prompt', text: 'Hello', uuids: ['p1'] },
  ]);
  expect(tracker.view.phase).toBe('busy');
  expect(blocksIn(tracker.note({ ...prompt('Hello', 'p1'), isReplay: true } as JsonObject, 0))).toEqual([]);
  expect(blocksIn(tracker.note({ ...prompt('By another host', 'p2'), isReplay: true } as JsonObject, 0))).toMatchObject(
    [{ text: 'By another host' }],
  );
});

test('prompts wait while the agent works, and are shown when their turn begins; cancelled ones are gone', () => {
  const tracker = createViewTracker();
  tracker.sent(prompt('one', 'p1'), 0);
  for (const [words, uuid] of [
    ['two', 'p2'],
    ['three', 'p3'],
    ['four', 'p4'],
  ] as const) {
    expect(blocksIn(tracker.sent(prompt(words, uuid), 0))).toEqual([]);
  }
  tracker.note(lifecycle('p3', 'cancelled'), 0);
  expect(tracker.view.queue.map(({ text: words }) => words)).toEqual(['two', 'four']);
  expect(blocksIn(tracker.note(result(), 0))).toMatchObject([{ kind: 'result' }]);
  expect(blocksIn(tracker.note(lifecycle('p2', 'started'), 0))).toMatchObject([{ kind: 'prompt', text: 'two' }]);
  expect(blocksIn(tracker.note({ ...prompt('two', 'p2'), isReplay: true } as JsonObject, 0))).toEqual([]);
  tracker.note(system('input_error', { input_uuid: 'p4', error: 'too long' }), 0);
  expect(tracker.view.queue).toEqual([]);
});

test('a prompt that goes on elsewhere leaves a block about the branch', () => {
  const why = (message: UserInput) => only(blocksIn(createViewTracker().sent(message, 0)), 'branch')[0];
  expect(why(prompt('again', 'p', { edits: 'p0' }))).toMatchObject({ why: 'edit' });
  expect(why(prompt('there', 'p', { parentUuid: 'n7' }))).toMatchObject({ why: 'switch', from: 'n7' });
  expect(why(prompt('plain', 'p'))).toBeUndefined();
  expect(after({ type: 'conversation_reset' }).blocks).toMatchObject([{ kind: 'branch', why: 'clear' }]);
});

test('the phase follows the turns', () => {
  const phases = (...lines: JsonObject[]) => after(...lines).tracker.view.phase;
  expect(phases()).toBe('starting');
  expect(phases(system('init'))).toBe('busy');
  expect(phases(system('init'), system('status', { status: 'compacting' }))).toBe('compacting');
  expect(phases(system('init'), system('status', { status: 'compacting' }), system('status', { status: null }))).toBe(
    'busy',
  );
  expect(phases(system('init'), result())).toBe('idle');
  const { tracker } = after(system('init'));
  tracker.closed({ code: 0, signal: null }, 0);
  expect(tracker.view.phase).toBe('ended');
});

test('questions are open until they are answered or withdrawn, the oldest first; hooks and servers are no questions', () => {
  const ask = (request_id: string, request: object) => ({ type: 'control_request', request_id, request });
  const { tracker, changes } = after(
    system('task_started', { task_id: 'a1', subagent_type: 'Explore', description: 'look around' }),
    ask('q1', {
      subtype: 'can_use_tool',
      tool_name: 'Bash',
      input: { command: 'ls' },
      tool_use_id: 'c1',
      agent_id: 'a1',
    }),
    ask('q2', { subtype: 'can_use_tool', tool_name: 'ExitPlanMode', input: {}, tool_use_id: 'c2' }),
    ask('q3', { subtype: 'elicitation', mcp_server_name: 's', message: 'Who?' }),
    ask('q4', { subtype: 'hook_callback', callback_id: 'h' }),
    ask('q5', { subtype: 'can_use_tool', tool_name: 'AskUserQuestion', input: {}, tool_use_id: 'c3' }),
  );
  expect(tracker.view.questions.map(({ id, kind, agent }) => [id, kind, agent?.name])).toEqual([
    ['q1', 'permission', 'look around'],
    ['q2', 'plan', undefined],
    ['q3', 'elicitation', undefined],
    ['q5', 'choices', undefined],
  ]);
  expect(changes.filter((change) => change.type === 'alert')).toHaveLength(4);
  tracker.answered('q2');
  tracker.note({ type: 'control_cancel_request', request_id: 'q1' }, 0);
  expect(tracker.view.questions.map(({ id }) => id)).toEqual(['q3', 'q5']);
});

test('tasks run until they end, agents tell what they do, and an end is a block', () => {
  const started = system('task_started', {
    task_id: 't1',
    tool_use_id: 'c1',
    subagent_type: 'Plan',
    description: 'plan',
  });
  const progress = system('task_progress', {
    task_id: 't1',
    tool_use_id: 'c1',
    usage: { total_tokens: 500, tool_uses: 3, duration_ms: 9 },
    last_tool_name: 'Grep',
  });
  const { tracker } = after(call('c1', 'Task'), started, progress);
  expect(tracker.view.tasks).toMatchObject([{ id: 't1', agent: 'Plan', calls: 3, tokens: 500, lastTool: 'Grep' }]);
  expect(tracker.view.calls.get('c1')?.agent).toMatchObject({ kind: 'Plan', calls: 3, tokens: 500 });
  tracker.note(system('background_tasks_changed', { tasks: [{ task_id: 't2', task_type: 'local_bash' }] }), 0);
  expect(tracker.view.tasks.map(({ id, isBackground }) => [id, isBackground])).toEqual([
    ['t1', false],
    ['t2', true],
  ]);
  const ended = tracker.note(system('task_notification', { task_id: 't2', status: 'failed', summary: 'exit 1' }), 0);
  tracker.note(done('c1'), 0);
  expect(ended).toContainEqual({ type: 'alert', why: 'task' });
  tracker.note(system('task_updated', { task_id: 't1', patch: { status: 'completed' } }), 0);
  expect(tracker.view.tasks).toEqual([]);
});

test('todos follow both kinds of lists; the block has what changed', () => {
  const todo = (content: string, status: string) => ({ content, status, activeForm: `${content}ing` });
  const wrote = (id: string, ...newTodos: object[]) => done(id, 'ok', { tool_use_result: { oldTodos: [], newTodos } });
  const { tracker, blocks } = after(
    call('c1', 'TodoWrite'),
    wrote('c1', todo('a', 'in_progress'), todo('b', 'pending')),
    call('c2', 'TodoWrite'),
    wrote('c2', todo('a', 'completed'), todo('b', 'completed')),
  );
  expect(only(blocks, 'todos').map(({ changed, isComplete }) => [changed.length, isComplete])).toEqual([
    [2, false],
    [2, true],
  ]);
  expect(tracker.view.todos.map(({ text: words, status }) => [words, status])).toEqual([
    ['a', 'completed'],
    ['b', 'completed'],
  ]);
  const list = after(
    call('c1', 'TaskCreate', { subject: 'x' }),
    done('c1', 'ok', { tool_use_result: { task: { id: '1', subject: 'x' } } }),
    call('c2', 'TaskUpdate', { taskId: '1', status: 'in_progress', owner: 'me' }),
    done('c2', 'ok', { tool_use_result: { success: true, taskId: '1', updatedFields: ['status'] } }),
  );
  expect(list.tracker.view.todos).toEqual([{ id: '1', text: 'x', status: 'in_progress', active: 'x', owner: 'me' }]);
});

test('a team has its members, and each works as long as its task runs', () => {
  const { tracker } = after(
    call('c1', 'TeamCreate', { team_name: 'red' }),
    done('c1', 'ok', { tool_use_result: { team_name: 'red' } }),
    call('c2', 'Task'),
    done('c2', 'ok', {
      tool_use_result: { status: 'teammate_spawned', agent_id: 'ann@red', name: 'ann', agent_type: 'general' },
    }),
    system('background_tasks_changed', { tasks: [{ task_id: 'ann@red', task_type: 'in_process_teammate' }] }),
  );
  expect(tracker.view.team).toEqual({
    name: 'red',
    members: [{ id: 'ann@red', name: 'ann', agent: 'general', isWorking: true }],
  });
  tracker.note(system('background_tasks_changed', { tasks: [] }), 0);
  expect(tracker.view.team?.members[0]?.isWorking).toBe(false);
});

test('meters: the last result counts, and what came since', () => {
  const used = (id: string, usage: object) => ({
    type: 'assistant',
    message: { id, model: 'big', content: [], usage },
  });
  const modelUsage = { big: { inputTokens: 10, cacheReadInputTokens: 90, outputTokens: 5, contextWindow: 200_000 } };
  const { tracker, blocks } = after(
    used('m1', { input_tokens: 40, cache_read_input_tokens: 60, output_tokens: 7 }),
    result({ total_cost_usd: 0.5, modelUsage, duration_api_ms: 80 }),
    used('m2', { input_tokens: 3, output_tokens: 2 }),
  );
  expect(tracker.view.meters).toMatchObject({
    contextTokens: 5,
    contextWindow: 200_000,
    tokens: { in: 103, out: 7 },
    costUsd: 0.5,
    apiMs: 80,
    turnStartedAt: null,
  });
  const second = blocksIn(tracker.note(result({ total_cost_usd: 0.75 }), 0));
  expect([...only(blocks, 'result'), ...only(second, 'result')].map(({ costUsd }) => costUsd)).toEqual([0.5, 0.25]);
});

test('what a person should know is a block; what passes is a notice', () => {
  const said = (line: JsonObject) => only(after(line).blocks, 'notice').map(({ notice }) => notice.from);
  expect(said(system('informational', { content: 'x', level: 'warning' }))).toEqual(['info']);
  expect(said(system('model_fallback', { original_model: 'a', fallback_model: 'b' }))).toEqual(['fallback']);
  expect(said(system('hook_response', { hook_name: 'Stop', outcome: 'error', exit_code: 1, stderr: 'boo' }))).toEqual([
    'hook',
  ]);
  expect(said(system('hook_response', { hook_name: 'Stop', outcome: 'success', stdout: 'fine' }))).toEqual([]);
  expect(said(system('superseded', { superseded_uuids: ['u'], reason: 'a retry' }))).toEqual(['superseded']);
  expect(after(system('notification', { text: 'soon' })).changes).toEqual([
    { type: 'notice', notice: { level: 'info', from: 'info', text: 'soon' } },
  ]);
});

test('info comes from init and from the answer to initialize', () => {
  const tracker = createViewTracker();
  tracker.opened({
    commands: [{ name: 'cost', description: 'What it costs', argumentHint: '' }],
    capabilities: ['end_input'],
  });
  tracker.note(
    system('init', {
      cwd: '/w',
      model: 'big',
      permissionMode: 'plan',
      slash_commands: ['cost', 'own'],
      session_id: 's',
    }),
    0,
  );
  tracker.note(system('status', { status: null, permissionMode: 'acceptEdits' }), 0);
  tracker.note(system('session_title_changed', { title: 'A title' }), 0);
  expect(tracker.view.info).toMatchObject({
    cwd: '/w',
    model: 'big',
    mode: 'acceptEdits',
    title: 'A title',
    sessionId: 's',
  });
  expect(tracker.view.info.commands.map(({ description }) => description)).toEqual(['What it costs', '']);
});

test('[TUI-06] unknown types, subtypes and fields pass without effect', () => {
  const { tracker, changes } = after(
    { type: 'of_a_later_version', text: 'x' },
    system('of_a_later_version', { message: { content: [] } }),
    { type: 'control_request', request_id: 'q', request: { subtype: 'of_a_later_version' } },
    {},
  );
  expect(changes).toEqual([]);
  expect(tracker.view).toEqual(createViewTracker().view);
  expect(after({ ...text('m1', 'Hi'), later: { deep: true } }).blocks).toEqual(after(text('m1', 'Hi')).blocks);
});

test('messages from before fill todo list and meters, and make no blocks', () => {
  const tracker = createViewTracker();
  const todos = [{ content: 'write', status: 'in_progress', activeForm: 'Writing' }];
  const before = [
    {
      ...call('c1', 'TodoWrite'),
      message: {
        id: 'm',
        model: 'm',
        content: [{ type: 'tool_use', id: 'c1', name: 'TodoWrite', input: {} }],
        usage: { input_tokens: 900, output_tokens: 100 },
      },
    },
    done('c1', 'ok', { tool_use_result: { newTodos: todos } }),
  ];
  const changes = tracker.earlier(before, { contextWindow: 2000, costUsd: 0.5 });
  expect(changes).toEqual([{ type: 'live' }]);
  expect(tracker.view.todos).toMatchObject([{ text: 'write', status: 'in_progress' }]);
  expect(tracker.view.meters).toMatchObject({ contextTokens: 1000, contextWindow: 2000, costUsd: 0.5 });
  tracker.note(result({ total_cost_usd: 0.75 }), 0);
  expect(tracker.view.meters.costUsd).toBe(0.75);
});
