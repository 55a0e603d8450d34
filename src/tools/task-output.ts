import { boolean, type InputOf, integer, objectInput, string, withDefault } from './input-schema.ts';
import { refusal, type Tool } from './tool.ts';

const MAX_WAIT_MS = 600_000;

const input = objectInput({
  task_id: string('The id that the start of the task gave'),
  block: withDefault(boolean('Wait until it has ended'), true),
  timeout: withDefault(integer('Milliseconds to wait at most', { minimum: 0, maximum: MAX_WAIT_MS }), 30_000),
});
// As the reference lists them; calls without them mean the defaults.
input.json.required = ['task_id', 'block', 'timeout'];

export const taskOutputTool: Tool<InputOf<typeof input>> = {
  name: 'TaskOutput',
  aliases: ['BashOutput', 'AgentOutput'],
  description: `Shows the state and the output of a command or an agent that runs in the background.

- block waits for its end, at most timeout milliseconds. Without it you see how far it is.
- You are told by itself when a task has ended: do not wait for one that you do not need now.`,
  input,
  access: () => ({ kind: 'none' }),
  isConcurrencySafe: () => true,
  async prepare(call, { session }) {
    if (session.backgroundTasks.get(call.task_id) ?? (await session.pastTask?.(call.task_id))) return call;
    throw refusal(unknownTask(call.task_id, session.backgroundTasks.list()));
  },
  run: async (call, context) => (await import('./task-output-run.ts')).showTask(call, context),
};

/** What to say of an id that no task has. */
export function unknownTask(id: string, tasks: readonly { id: string; status: string }[]): string {
  const known = tasks.map((task) => `${task.id} (${task.status})`).join(', ');
  return `No task has the id ${id}. ${known === '' ? 'None was started in this session.' : `There are: ${known}`}`;
}
