import type { TaskUpdateOutput } from '../wire/tool-outputs.ts';
import { arrayOf, type InputOf, objectInput, oneOf, optional, string } from './input-schema.ts';
import type { Task } from './task-store.ts';
import type { Tool, ToolOutput } from './tool.ts';

const input = objectInput({
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

export const taskUpdateTool: Tool<InputOf<typeof input>> = {
  name: 'TaskUpdate',
  description: `Changes a task of the list: its status, texts, owner, or what it waits for.

- Set in_progress when you begin, and completed as soon as it is really done: tests pass, nothing is left out.
- What blocks you becomes a task of its own, with addBlockedBy. What turns out not to be needed is deleted.`,
  input,
  access: () => ({ kind: 'none' }),
  isConcurrencySafe: () => false,
  async run({ taskId, status, ...change }, { session }) {
    const tasks = await session.tasks();
    if (status === 'deleted') {
      const removed = await tasks.remove(taskId);
      return updated(taskId, ['deleted'], { from: removed.status, to: 'deleted' });
    }
    const { before, after } = await tasks.update(taskId, { ...change, ...(status && { status }) }, session.agentName);
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
