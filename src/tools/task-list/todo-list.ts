import type { ApiMessage } from '../../model/model.ts';
import type { ToolUseBlock } from '../../wire/api/content.ts';
import { arrayOf, type InputOf, objectInput, objectOf, oneOf, string } from '../input-schema.ts';

export const TODO_WRITE = 'TodoWrite';

export const todoInput = objectInput({
  todos: arrayOf(
    objectOf('', {
      content: string('Such as "Run the tests"'),
      status: oneOf(['pending', 'in_progress', 'completed'], ''),
      activeForm: string('Such as "Running the tests"'),
    }),
    'The whole list, in order',
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

/** The to-do list at the end of a conversation: that of the last successful TodoWrite call. Null without one. */
export function restoreTodos(messages: readonly ApiMessage[]): readonly Todo[] | null {
  const last = lastSuccessful(messages);
  if (last === null) return null;
  const parsed = todoInput.parse(last.input);
  return parsed.ok ? openTodos(parsed.value.todos) : [];
}

/** From the end, where results stand before their calls: all of a long conversation would be much to look through. */
function lastSuccessful(messages: readonly ApiMessage[]): ToolUseBlock | null {
  const succeeded = new Set<string>();
  for (let at = messages.length - 1; at >= 0; at--) {
    const content = messages[at]?.content ?? [];
    for (const block of content) if (block.type === 'tool_result' && !block.is_error) succeeded.add(block.tool_use_id);
    const last = content.findLast(
      (block) => block.type === 'tool_use' && block.name === TODO_WRITE && succeeded.has(block.id),
    );
    if (last?.type === 'tool_use') return last;
  }
  return null;
}
