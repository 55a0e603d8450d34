import { stringField } from '../../util/json.ts';
import type { Entry } from '../../wire/entries.ts';
import { answeredIds, answerKey, blocksOf, callIds, isConversation } from '../entry-fields.ts';
import { interruptedResult, notBegunResult } from '../interrupted-result.ts';
import type { Chain } from './chain.ts';

export interface UnpairedCall {
  toolUseId: string;
  name: string;
  /** The entry that made the call, to which its result must be linked; null in old files without uuids. */
  assistantUuid: string | null;
  /** The conversation continued after the answer that made the call. */
  isPassed: boolean;
  /** The call certainly did not begin. */
  hasNotBegun?: boolean;
}

/**
 * The tool calls on a path without a result: the process died before they finished. A host that appends an
 * result for each (`repairEntries`) has answered them permanently; a second resume finds none.
 */
export function unpairedToolCalls(path: readonly Entry[]): UnpairedCall[] {
  const settled = new Set<string>();
  for (const entry of path) for (const id of answeredIds(entry)) settled.add(id);
  const unpaired: UnpairedCall[] = [];
  const last = path.findLast((entry) => isConversation(entry) && answeredIds(entry).length === 0);
  for (const entry of path) {
    for (const toolUseId of callIds(entry)) {
      if (settled.has(toolUseId)) continue;
      settled.add(toolUseId);
      const call = blocksOf(entry).find((block) => block.id === toolUseId);
      const assistantUuid = stringField(entry, 'uuid') ?? null;
      const isPassed = !isSameAnswer(entry, last);
      unpaired.push({ toolUseId, name: stringField(call, 'name') ?? '', assistantUuid, isPassed });
    }
  }
  return unpaired;
}

/**
 * A result for each of these calls, linked to the entry that made it. The chain continues from the last of them, as
 * after any result, but not when the conversation already continued after that answer: what followed would be lost.
 */
export function repairEntries(unpaired: readonly UnpairedCall[], chain: Chain, newId: () => string): Entry[] {
  const { leaf } = chain;
  const repairs = unpaired.flatMap(({ toolUseId, assistantUuid, hasNotBegun }) => {
    if (assistantUuid === null) return [];
    const fields = { uuid: newId(), sourceToolAssistantUUID: assistantUuid };
    const result = hasNotBegun ? notBegunResult(toolUseId) : interruptedResult(toolUseId);
    return [chain.toolResultEntry(result, fields)];
  });
  if (unpaired.at(-1)?.isPassed) chain.moveTo(leaf);
  return repairs;
}

function isSameAnswer(entry: Entry, other: Entry | undefined): boolean {
  if (entry === other || other?.type !== 'assistant') return entry === other;
  return answerKey(entry) !== null && answerKey(entry) === answerKey(other);
}
