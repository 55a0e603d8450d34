import type { ApiMessage } from '../../model/model.ts';
import type { ToolUseBlock } from '../../wire/api/content.ts';
import { openTodos, TODO_WRITE, type Todo, todoInput } from './todo-list.ts';

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
