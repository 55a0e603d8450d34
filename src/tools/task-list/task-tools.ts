import type {
  TaskCreateOutput,
  TaskGetOutput,
  TaskListOutput,
  TaskUpdateOutput,
} from '../../wire/tools/tool-outputs.ts';
import { anything, arrayOf, type InputOf, objectInput, oneOf, optional, recordOf, string } from '../input-schema.ts';
import type { Tool, ToolOutput } from '../tool.ts';
import type { Task } from './task-files.ts';
import { taskListPort } from './task-list-port.ts';

const newTask = objectInput({
  subject: string('Short title, as an instruction: "Run the tests"'),
  description: string('What has to be done, and when it counts as done'),
  activeForm: optional(string('The same while it is being done: "Running the tests"')),
  metadata: optional(recordOf(anything(''), 'Anything to keep with the task')),
});

export const taskCreateTool: Tool<InputOf<typeof newTask>> = {
  name: 'TaskCreate',
  description: `Adds a task to the session's list, which the user sees and which outlives a restart.

- Use it for work of three steps or more, or when the user gives several tasks. A single simple step needs no task.
- A new task is pending. TaskUpdate starts it, completes it, and says which tasks wait for which.`,
  input: newTask,
  access: () => ({ kind: 'none' }),
  isConcurrencySafe: () => false,
  async run(fields, { service }) {
    const { id, subject } = await (await service(taskListPort).tasks()).create(fields);
    const data: TaskCreateOutput = { task: { id, subject } };
    return { content: `Task #${id} is on the list: ${subject}`, data };
  },
};

const changes = objectInput({
  taskId: string('The id, as TaskList shows it'),
  status: optional(
    oneOf(['pending', 'in_progress', 'completed', 'deleted'], 'deleted removes the task from the list for good'),
  ),
  subject: optional(string('New title')),
  description: optional(string('New description')),
  activeForm: optional(string('New wording while it is being done')),
  owner: optional(string('Who does it')),
  addBlocks: optional(arrayOf(string(''), 'Ids of tasks that have to wait for this one')),
  addBlockedBy: optional(arrayOf(string(''), 'Ids of tasks that this one has to wait for')),
});

export const taskUpdateTool: Tool<InputOf<typeof changes>> = {
  name: 'TaskUpdate',
  description: `Changes a task of the list: its status, texts, owner, or what it waits for.

- Set in_progress when you begin, and completed as soon as it is really done: tests pass, nothing is left out.
- What blocks you becomes a task of its own, with addBlockedBy. What turns out not to be needed is deleted.`,
  input: changes,
  access: () => ({ kind: 'none' }),
  isConcurrencySafe: () => false,
  async run({ taskId, status, ...change }, { service }) {
    const list = service(taskListPort);
    const tasks = await list.tasks();
    if (status === 'deleted') {
      const removed = await tasks.remove(taskId);
      return updated(taskId, ['deleted'], { from: removed.status, to: 'deleted' });
    }
    const { before, after } = await tasks.update(taskId, { ...change, ...(status && { status }) }, list.agentName);
    const statusChange = before.status === after.status ? undefined : { from: before.status, to: after.status };
    return updated(taskId, changedFields(before, after), statusChange);
  },
};

const FIELDS = ['subject', 'description', 'activeForm', 'owner', 'status', 'blocks', 'blockedBy'] as const;

function changedFields(before: Task, after: Task): string[] {
  return FIELDS.filter((field) => String(before[field]) !== String(after[field]));
}

function updated(taskId: string, fields: string[], statusChange?: TaskUpdateOutput['statusChange']): ToolOutput {
  const what = fields.length > 0 ? `is changed: ${fields.join(', ')}` : 'was like that already';
  return {
    content: `Task #${taskId} ${statusChange?.to === 'deleted' ? 'is off the list' : what}.`,
    data: {
      success: true,
      taskId,
      updatedFields: fields,
      ...(statusChange && { statusChange }),
    } satisfies TaskUpdateOutput,
  };
}

const nothing = objectInput({});

export const taskListTool: Tool<InputOf<typeof nothing>> = {
  name: 'TaskList',
  description: `Lists the session's tasks: id, status, title, owner, and what each still waits for.

- Look here for what to do next: a pending task that nothing blocks and nobody owns, the lowest id first.
- TaskGet shows the description of one task.`,
  input: nothing,
  access: () => ({ kind: 'none' }),
  isConcurrencySafe: () => true,
  async run(_input, { service }) {
    const tasks = await (await service(taskListPort).tasks()).list();
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
  async run({ taskId }, { service }) {
    const task = await (await service(taskListPort).tasks()).get(taskId);
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

/** The tools that replace TodoWrite in a session that asks for tasks. */
export const taskTools: readonly Tool[] = [taskCreateTool, taskGetTool, taskUpdateTool, taskListTool];
