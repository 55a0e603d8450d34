import { stringField } from '../util/json.ts';
import type { ToolResultBlock } from '../wire/content.ts';
import type { Entry } from '../wire/entries.ts';
import { answeredIds, blocksOf, callIds } from './entry-fields.ts';

export interface UnpairedCall {
  toolUseId: string;
  name: string;
  /** The entry that made the call, from which its result has to hang; null in old files without uuids. */
  assistantUuid: string | null;
}

/**
 * The tool calls on a path that nothing answers: the process died in between. A host that appends an
 * `interruptedResult` for each has answered them for good; a second resume finds none [S-7].
 */
export function unpairedToolCalls(path: readonly Entry[]): UnpairedCall[] {
  const settled = new Set(path.flatMap(answeredIds));
  const unpaired: UnpairedCall[] = [];
  for (const entry of path) {
    for (const toolUseId of callIds(entry)) {
      if (settled.has(toolUseId)) continue;
      settled.add(toolUseId);
      const call = blocksOf(entry).find((block) => block.id === toolUseId);
      const assistantUuid = stringField(entry, 'uuid') ?? null;
      unpaired.push({ toolUseId, name: stringField(call, 'name') ?? '', assistantUuid });
    }
  }
  return unpaired;
}

/** What the model is told about a call whose outcome nobody knows. */
export function interruptedResult(toolUseId: string): ToolResultBlock {
  return { type: 'tool_result', tool_use_id: toolUseId, content: INTERRUPTED, is_error: true };
}

const INTERRUPTED =
  'The session ended before this tool call had reported back. It may have run in part or not at all: ' +
  'look at its effects before you repeat it.';
