import { arrayOf, type InputOf, objectInput, objectOf, oneOf, string } from '../input-schema.ts';

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

/** The open list: when everything is done, the next list begins empty. */
export function openTodos(todos: readonly Todo[]): readonly Todo[] {
  return todos.every(({ status }) => status === 'completed') ? [] : todos;
}
