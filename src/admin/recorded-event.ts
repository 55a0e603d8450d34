import { blocksOf } from '../sessions/entry-fields.ts';
import { promptOf } from '../sessions/entry-texts.ts';
import type { JsonObject } from '../util/json.ts';
import { isObject, stringField } from '../util/json.ts';
import type { Entry } from '../wire/entries.ts';
import { HeddleError } from '../wire/errors.ts';

/**
 * The payload of the latest event of this kind, rebuilt from a transcript: for the last tool call (of this tool), or
 * the last prompt. Throws `invalid_option` when there is none, or the transcript does not contain it.
 */
export function recordedEvent(entries: readonly Entry[], event: string, toolName?: string): JsonObject {
  if (event === 'UserPromptSubmit') {
    const prompt = entries.map(promptOf).findLast((text) => text !== null);
    if (prompt) return { prompt };
  }
  const call = event.includes('Tool') || event.startsWith('Permission') ? lastCall(entries, toolName) : undefined;
  if (call)
    return { tool_name: call.name, tool_input: call.input, ...resultOf(entries, call, event), tool_use_id: call.id };
  throw new HeddleError('invalid_option', `The session tells of no ${event} event${toolName ? ` of ${toolName}` : ''}`);
}

function lastCall(entries: readonly Entry[], toolName?: string): JsonObject | undefined {
  const calls = entries.filter(({ type }) => type === 'assistant').flatMap(blocksOf);
  return calls.findLast(({ type, name }) => type === 'tool_use' && (toolName === undefined || name === toolName));
}

function resultOf(entries: readonly Entry[], { id }: JsonObject, event: string): JsonObject {
  if (!event.startsWith('PostToolUse')) return {};
  const isResult = (block: JsonObject) => block.type === 'tool_result' && block.tool_use_id === id;
  const entry = entries.findLast((each) => each.type === 'user' && blocksOf(each).some(isResult));
  const block = entry && blocksOf(entry).find(isResult);
  if (event === 'PostToolUse')
    return { tool_response: entry?.toolUseResult ?? (isObject(block) ? block.content : null) };
  return { error: stringField(block, 'content') ?? '', is_interrupt: false };
}
