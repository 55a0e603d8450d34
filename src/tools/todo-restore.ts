import type { ApiMessage } from '../model/model.ts';
import { keptTodos, TODO_WRITE, type Todo, todoInput } from './todo.ts';

/**
 * The list as a conversation has left it: that of the last TodoWrite call that was answered without an error. Null when
 * there was none.
 */
export function restoreTodos(messages: readonly ApiMessage[]): readonly Todo[] | null {
  const blocks = messages.flatMap(({ content }) => content);
  const succeeded = new Set(
    blocks.flatMap((block) => (block.type === 'tool_result' && !block.is_error ? [block.tool_use_id] : [])),
  );
  const last = blocks.findLast(
    (block) => block.type === 'tool_use' && block.name === TODO_WRITE && succeeded.has(block.id),
  );
  if (last?.type !== 'tool_use') return null;
  const parsed = todoInput.parse(last.input);
  return parsed.ok ? keptTodos(parsed.value.todos) : [];
}
