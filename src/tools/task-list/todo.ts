import type { TodoWriteOutput } from '../../wire/tools/tool-outputs.ts';
import { arrayOf, type InputOf, objectInput, objectOf, oneOf, string } from '../input-schema.ts';
import type { Tool } from '../tool.ts';

export const TODO_WRITE = 'TodoWrite';

export const todoInput = objectInput({
  todos: arrayOf(
    objectOf('', {
      content: string('What to do, as an instruction: "Run the tests"'),
      status: oneOf(['pending', 'in_progress', 'completed'], 'in_progress: being done now'),
      activeForm: string('The same while it is being done: "Running the tests"'),
    }),
    'The whole list, in order. It replaces the one before',
  ),
});

export type Todo = InputOf<typeof todoInput>['todos'][number];

/** The to-do list of a session; the tool replaces it. */
export interface TodoList {
  /** The list, or a function that loads it. */
  current: readonly Todo[] | (() => Promise<readonly Todo[]>);
}

export const todoTool: Tool<InputOf<typeof todoInput>> = {
  name: TODO_WRITE,
  description: `Keeps a list of the steps of the task, which the user sees.

- Use it for work of three steps or more, or when the user gives several tasks. A single simple step needs no list.
- Send the whole list each time. Have one step in_progress while you work, and set it to completed as soon as it is really done, not later.
- Add steps that you discover, and remove those that turn out not to be needed.`,
  input: todoInput,
  access: () => ({ kind: 'none' }),
  isConcurrencySafe: () => false,
  async run({ todos }, { session }) {
    const { current } = session.todos;
    const oldTodos = typeof current === 'function' ? await current() : current;
    session.todos.current = openTodos(todos);
    return { content: describe(todos), data: { oldTodos, newTodos: todos } satisfies TodoWriteOutput };
  },
};

/** The open list: when everything is done, the next list begins empty. */
export function openTodos(todos: readonly Todo[]): readonly Todo[] {
  return todos.every(({ status }) => status === 'completed') ? [] : todos;
}

function describe(todos: readonly Todo[]): string {
  if (todos.length === 0) return 'The list is empty now.';
  const done = todos.filter(({ status }) => status === 'completed').length;
  if (done === todos.length) return 'All steps are done; the list is closed.';
  const active = todos.filter(({ status }) => status === 'in_progress').map(({ activeForm }) => activeForm);
  return `The list is stored: ${done} of ${todos.length} done, now: ${active.join('; ') || 'nothing'}. Go on with it.`;
}
