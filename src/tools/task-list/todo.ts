import type { TodoWriteOutput } from '../../wire/tools/tool-outputs.ts';
import type { InputOf } from '../input-schema.ts';
import type { Tool } from '../tool.ts';
import { taskListPort } from './task-list-port.ts';
import { openTodos, TODO_WRITE, type Todo, todoInput } from './todo-list.ts';

export const todoTool: Tool<InputOf<typeof todoInput>> = {
  name: TODO_WRITE,
  description: `Keeps a list of the steps of the task, which the user sees.

- For three steps or more, or several tasks. A simple step needs no list.
- One step is in_progress while you work; it is completed as soon as it is really done, not later. Add steps that you discover, remove those that are not needed.`,
  input: todoInput,
  access: () => ({ kind: 'none' }),
  isConcurrencySafe: () => false,
  async run({ todos }, { service }) {
    const list = service(taskListPort).todos;
    const oldTodos = typeof list.current === 'function' ? await list.current() : list.current;
    list.current = openTodos(todos);
    return { content: describe(todos), data: { oldTodos, newTodos: todos } satisfies TodoWriteOutput };
  },
};

function describe(todos: readonly Todo[]): string {
  if (todos.length === 0) return 'The list is empty now.';
  const done = todos.filter(({ status }) => status === 'completed').length;
  if (done === todos.length) return 'All steps are done; the list is closed.';
  const active = todos.filter(({ status }) => status === 'in_progress').map(({ activeForm }) => activeForm);
  return `The list is stored: ${done} of ${todos.length} done, now: ${active.join('; ') || 'nothing'}. Go on with it.`;
}
