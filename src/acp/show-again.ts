import { replayedLine } from '../host/resume/resume-report.ts';
import { isConversation } from '../sessions/entry-fields.ts';
import { getSubagentMessages, listSubagents } from '../sessions/stored/messages.ts';
import { readStoredSession, wholeHistory } from '../sessions/stored/stored-session.ts';
import { activeLeaf, pathTo } from '../sessions/tree/build-tree.ts';
import { isObject, type JsonObject, stringField } from '../util/json.ts';
import type { Entry } from '../wire/entries.ts';
import type { TurnUpdates } from './turn-updates.ts';

/** From where a conversation is shown again: its very beginning, or the summary of the last compaction. */
export type ReplayFrom = 'start' | 'last-compaction';

/**
 * Shows the active branch of a stored session again: prompts, answers, calls with their results, and below a call the
 * agent that it ran. Waits where the editor has to read first.
 */
export async function replaySession(
  { sessionId, path }: { sessionId: string; path: string },
  updates: TurnUpdates,
  { from, signal }: { from: ReplayFrom; signal: AbortSignal },
): Promise<void> {
  const { tree } = await readStoredSession({ sessionId, path });
  const { leaf } = activeLeaf(tree);
  if (leaf === null) return;
  const entries = from === 'start' ? wholeHistory(tree, leaf.id) : pathTo(tree, leaf.id).map(entryOf);
  const agents = new Set(listSubagents(path));
  for (const entry of entries) {
    signal.throwIfAborted();
    if (!isConversation(entry) || entry.isMeta === true) continue;
    const agent = agentOf(entry);
    if (agent !== undefined && agents.delete(agent)) await replayAgent(path, agent, updates);
    await updates.replay(replayedLine(entry, sessionId) as unknown as JsonObject);
  }
  await updates.endTurn();
}

const entryOf = (each: Entry | { entry: Entry }): Entry => ('entry' in each ? (each.entry as Entry) : each);

/** The agent whose end an entry tells of: the result of the call that ran it. */
function agentOf({ toolUseResult }: Entry): string | undefined {
  return isObject(toolUseResult) ? stringField(toolUseResult, 'agentId') : undefined;
}

async function replayAgent(path: string, agentId: string, updates: TurnUpdates): Promise<void> {
  const messages = await getSubagentMessages(path, agentId, { includeCompacted: true });
  for (const { type, message, parent_tool_use_id } of messages) {
    if (type === 'system' || parent_tool_use_id === null) continue;
    await updates.replay({ type, message, parent_tool_use_id });
  }
}
