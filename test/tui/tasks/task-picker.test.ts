import { expect, test, vi } from 'vitest';
import { taskTree } from '../../../src/tui/tasks/task-rows.ts';
import type { JsonObject } from '../../../src/util/json.ts';
import type { TaskView } from '../../../src/view/view.ts';
import { openTerminal } from '../app/open-terminal.ts';

const started = (task_id: string, fields: JsonObject = {}): JsonObject => ({
  ...{ type: 'system', subtype: 'task_started', task_id, tool_use_id: `call-${task_id}` },
  ...{ task_type: 'local_agent', subagent_type: 'Explore', description: `look at ${task_id}`, ...fields },
});
const outputOf = (output: string, status = 'running'): JsonObject => ({
  task: { task_id: 'one', task_type: 'local_bash', status, description: 'd', output, exitCode: null },
  output_file: '/home/tasks/one.output',
});

async function open(answers: Parameters<typeof openTerminal>[0] = {}) {
  const rig = await openTerminal({ size: { columns: 90, rows: 20 }, ...answers });
  const asked = (subtype: string) => () =>
    expect(rig.received).toContainEqual(expect.objectContaining({ request: expect.objectContaining({ subtype }) }));
  const knows = () => vi.waitFor(() => expect(rig.app.tracker.view.tasks).not.toEqual([]));
  return { ...rig, asked, knows };
}

test('tasks stand in a tree with their figures; one that ends stays, dim', async () => {
  const { terminal, send, sees, knows } = await open();
  await send(started('one'), started('two', { parent_task_id: 'one' }), {
    type: 'system',
    subtype: 'task_progress',
    task_id: 'one',
    last_tool_name: 'Read',
    usage: { tool_uses: 12, total_tokens: 4100 },
  });
  await knows();
  terminal.type('/tasks\r');
  await sees(/2 running\n❯ one Explore "look at one" · 12 calls · Read · 4\.1k tokens · \d+ s\n {4}two Explore/);
  await send({ type: 'system', subtype: 'task_notification', task_id: 'two', status: 'completed', summary: 'done' });
  await sees(/1 running[\s\S]*two Explore "look at two" · ended/);
  terminal.type('\x1b');
  await sees(/❯\s*\n/);
});

test('x asks before it stops; b moves to the background; both name the task', async () => {
  const { terminal, send, sees, asked, received, knows } = await open();
  await send(started('one'));
  await knows();
  terminal.type('/tasks\r');
  await sees('1 running');
  terminal.type('x');
  await sees('x again');
  terminal.type('\x1b[B');
  terminal.type('x');
  await sees('x again');
  expect(JSON.stringify(received)).not.toContain('stop_task');
  terminal.type('x');
  await vi.waitFor(asked('stop_task'));
  terminal.type('b');
  await vi.waitFor(asked('background_tasks'));
  expect(JSON.stringify(received)).toContain('"tool_use_id":"call-one"');
});

test('enter follows the output in the pager; nothing of it acts on the terminal', async () => {
  let output = 'first\n\u001b]52;c;c2VjcmV0\u0007';
  const { terminal, send, sees, knows } = await open({ answers: { get_task_output: () => outputOf(output) } });
  await send(started('one', { subagent_type: undefined, task_type: 'local_bash', description: 'npm test' }));
  await knows();
  terminal.type('/tasks\r');
  await sees('1 running');
  terminal.type('\r');
  await sees(/one npm test[\s\S]*first[\s\S]*1 to 2 of 2 · q leaves · all of it: \/home\/tasks\/one\.output/);
  output = Array.from({ length: 40 }, (_, at) => `row ${at + 1}`).join('\n');
  await sees('row 40');
  terminal.type('g');
  await sees('row 1\n');
  terminal.type('q');
  await sees('1 running');
  expect(terminal.emulator.effects.filter((effect) => effect.startsWith('osc'))).toEqual([]);
});

test('/todos, /team, /agents and /background tell what there is, also when there is nothing', async () => {
  const { terminal, sees, asked } = await open({ answers: { background_tasks: () => ({ backgrounded: ['call-1'] }) } });
  terminal.type('/todos\r');
  await sees('There are no todos.');
  terminal.type('/team\r');
  await sees('There is no team.');
  terminal.type('/tasks\r');
  await sees('No task runs.');
  terminal.type('/background\r');
  await vi.waitFor(asked('background_tasks'));
  await sees('It continues in the background');
});

test('a tree of any tasks has each of them once', () => {
  const task = (id: string, parentId: string | null) => ({ id, parentId }) as TaskView;
  const shape = (tasks: TaskView[]) => taskTree(tasks).map(({ task: { id }, depth }) => `${id}${depth}`);
  expect(shape([task('c', 'b'), task('a', null), task('b', 'a')])).toEqual(['a0', 'b1', 'c2']);
  expect(shape([task('a', 'gone'), task('b', 'c'), task('c', 'b')])).toEqual(['a0', 'b0', 'c0']);
});

test('ctrl+x ctrl+k twice stops all agents, and no command', async () => {
  const { terminal, send, sees, received, knows } = await open();
  await send(started('one'), started('two'), started('three', { task_type: 'local_bash', subagent_type: undefined }));
  await knows();
  terminal.type('\x18\x0b');
  await sees('Again to stop all agents');
  expect(JSON.stringify(received)).not.toContain('stop_task');
  terminal.type('\x18\x0b');
  await sees('2 agents stopped.');
  const stopped = received.flatMap(({ request }) => {
    const { subtype, task_id } = (request ?? {}) as JsonObject;
    return subtype === 'stop_task' ? [task_id] : [];
  });
  expect(stopped).toEqual(['one', 'two']);
});
