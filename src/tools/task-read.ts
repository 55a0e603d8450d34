import type { TaskGetOutput, TaskListOutput } from '../wire/tool-outputs.ts';
import { type InputOf, objectInput, string } from './input-schema.ts';
import type { Task } from './task-store.ts';
import type { Tool } from './tool.ts';

const nothing = objectInput({});

export const taskListTool: Tool<InputOf<typeof nothing>> = {
  name: 'TaskList',
  description: `Lists the session's tasks: id, status, title, owner, and what each still waits for.

- Look here for what to do next: a pending task that nothing blocks and nobody owns, the lowest id first.
- TaskGet shows the description of one task.`,
  input: nothing,
  access: () => ({ kind: 'none' }),
  isConcurrencySafe: () => true,
  async run(_input, { session }) {
    const tasks = await (await session.tasks()).list();
    const done = new Set(tasks.filter(({ status }) => status === 'completed').map(({ id }) => id));
    const listed = tasks.map(({ id, subject, status, owner, blockedBy }) => ({
      id,
      subject,
      status,
      ...(owner && { owner }),
      blockedBy: blockedBy.filter((blocker) => !done.has(blocker)),
    }));
    const data: TaskListOutput = { tasks: listed };
    return { content: listed.map(line).join('\n') || 'There are no tasks.', data };
  },
};

const oneTask = objectInput({ taskId: string('The id, as TaskList shows it') });

export const taskGetTool: Tool<InputOf<typeof oneTask>> = {
  name: 'TaskGet',
  description: 'Shows one task of the list whole: its description, and which tasks wait for which.',
  input: oneTask,
  access: () => ({ kind: 'none' }),
  isConcurrencySafe: () => true,
  async run({ taskId }, { session }) {
    const task = await (await session.tasks()).get(taskId);
    const { id, subject, description, status, blocks, blockedBy } = task;
    const data: TaskGetOutput = { task: { id, subject, description, status, blocks, blockedBy } };
    return { content: whole(task), data };
  },
};

type Listed = Pick<Task, 'id' | 'subject' | 'status' | 'owner' | 'blockedBy'>;

function line({ id, status, subject, owner, blockedBy }: Listed): string {
  const waits = blockedBy.length > 0 ? ` [blocked by ${numbered(blockedBy)}]` : '';
  return `#${id} [${status}] ${subject}${owner ? ` (${owner})` : ''}${waits}`;
}

function whole({ id, status, subject, description, owner, blocks, blockedBy }: Task): string {
  return [
    `#${id} [${status}] ${subject}`,
    ...(owner ? [`Owner: ${owner}`] : []),
    ...(blockedBy.length > 0 ? [`Blocked by: ${numbered(blockedBy)}`] : []),
    ...(blocks.length > 0 ? [`Blocks: ${numbered(blocks)}`] : []),
    '',
    description,
  ].join('\n');
}

function numbered(ids: readonly string[]): string {
  return ids.map((id) => `#${id}`).join(', ');
}
