import type { Hooks } from '../../hooks/dispatch.ts';
import type { Task } from '../../tools/task-list/task-files.ts';
import type { TaskStore } from '../../tools/task-list/task-store.ts';
import { ToolError } from '../../tools/tool.ts';

/**
 * A task list that reports each created or completed task to hooks. When a hook objects, the task is not created or completed.
 */
export function watchTasks(
  tasks: TaskStore,
  { fire, team }: Pick<Hooks, 'fire'> & { team(): string | null },
): TaskStore {
  const tell = async (event: 'TaskCreated' | 'TaskCompleted', { id, subject, description, owner }: Task) => {
    const name = team();
    const payload = {
      task_id: id,
      task_subject: subject,
      task_description: description,
      ...(name !== null && { team_name: name, ...(owner !== undefined && { teammate_name: owner }) }),
    };
    const { block, stop } = await fire(event, payload, new AbortController().signal);
    return block ?? (stop && (stop.reason || 'A hook stopped it'));
  };
  return {
    ...tasks,
    async create(fields) {
      const task = await tasks.create(fields);
      const objection = await tell('TaskCreated', task);
      if (objection === null) return task;
      await tasks.remove(task.id);
      throw new ToolError(`The task was not created: ${objection}`);
    },
    async update(id, change, by) {
      const before = await tasks.get(id);
      if (change.status === 'completed' && before.status !== 'completed') {
        const objection = await tell('TaskCompleted', { ...before, ...change });
        if (objection !== null) throw new ToolError(`Task ${id} is not completed: ${objection}`);
      }
      return tasks.update(id, change, by);
    },
  };
}
