import type { TaskStopOutput } from '../../wire/tools/tool-outputs.ts';
import { type InputOf, objectInput, optional, string } from '../input-schema.ts';
import { refusal, type Tool } from '../tool.ts';
import { backgroundPort } from './background-port.ts';
import { unknownTask } from './task-output.ts';

const input = objectInput({
  task_id: optional(string('Its id')),
  shell_id: optional(string('The same')),
});

export const taskStopTool: Tool<InputOf<typeof input>> = {
  name: 'TaskStop',
  aliases: ['KillShell'],
  description: 'Ends a command or an agent in the background, with all that it has started.',
  input,
  access: () => ({ kind: 'none' }),
  isConcurrencySafe: () => false,
  async prepare(call, { service }) {
    const { tasks } = service(backgroundPort);
    const id = call.task_id ?? call.shell_id;
    if (id === undefined) throw refusal('Which task? Give its task_id.');
    const task = tasks.get(id);
    if (!task) throw refusal(unknownTask(id, tasks.list()));
    if (task.status !== 'running') throw refusal(`The task ${id} is not running: its status is ${task.status}`);
    return call;
  },
  async run(call, { service }) {
    const { tasks } = service(backgroundPort);
    const id = call.task_id ?? call.shell_id ?? '';
    const task = tasks.get(id);
    if (!task) throw refusal(unknownTask(id, tasks.list()));
    await tasks.stop(id, 'model');
    const data: TaskStopOutput = {
      message: `The task ${id} was stopped: ${task.command ?? task.description}`,
      task_id: id,
      task_type: task.type,
      command: task.command ?? task.description,
    };
    return { content: JSON.stringify(data), data };
  },
};
