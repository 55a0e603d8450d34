import { isObject } from '../../util/json.ts';
import type { ToolUseBlock } from '../../wire/api/content.ts';
import type { Entry } from '../../wire/entries.ts';
import { answeredIds, blocksOf, isConversation } from '../entry-fields.ts';

export interface DeferredCall {
  block: ToolUseBlock;
  assistantUuid: string;
}

/** The calls at the end of a path that a hook has deferred to an outside decision, if nothing follows them. */
export function deferredCalls(path: readonly Entry[]): DeferredCall[] {
  const lastMessage = path.findLastIndex((entry) => isConversation(entry) && answeredIds(entry).length === 0);
  const ids = new Set(path.slice(lastMessage + 1).flatMap((entry) => (isDeferral(entry) ? answeredIds(entry) : [])));
  if (ids.size === 0) return [];
  return path.flatMap(({ uuid, type, ...rest }) => {
    if (type !== 'assistant' || typeof uuid !== 'string') return [];
    const calls = blocksOf({ type, ...rest }).filter(({ id }) => ids.has(id as string));
    return calls.map((block) => ({ block: block as unknown as ToolUseBlock, assistantUuid: uuid }));
  });
}

/** Whether it is the result that stands for such a call until the hook is asked again. */
export function isDeferral({ toolUseResult }: Entry): boolean {
  return isObject(toolUseResult) && toolUseResult.deferred === true;
}
