import type { TaskCreateOutput } from '../wire/tool-outputs.ts';
import { anything, type InputOf, objectInput, optional, recordOf, string } from './input-schema.ts';
import type { Tool } from './tool.ts';

const input = objectInput({
  subject: string('Short title, as an instruction: "Run the tests"'),
  description: string('What has to be done, and when it counts as done'),
  activeForm: optional(string('The same while it is being done: "Running the tests"')),
  metadata: optional(recordOf(anything(''), 'Anything to keep with the task')),
});

export const taskCreateTool: Tool<InputOf<typeof input>> = {
  name: 'TaskCreate',
  description: `Adds a task to the session's list, which the user sees and which outlives a restart.

- Use it for work of three steps or more, or when the user gives several tasks. A single simple step needs no task.
- A new task is pending. TaskUpdate starts it, completes it, and says which tasks wait for which.`,
  input,
  access: () => ({ kind: 'none' }),
  isConcurrencySafe: () => false,
  async run(fields, { session }) {
    const { id, subject } = await (await session.tasks()).create(fields);
    const data: TaskCreateOutput = { task: { id, subject } };
    return { content: `Task #${id} is on the list: ${subject}`, data };
  },
};
