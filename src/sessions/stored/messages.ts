import { basename, join } from 'node:path';
import { stringField } from '../util/json.ts';
import type { Entry } from '../wire/entries.ts';
import { HeddleError } from '../wire/errors.ts';
import { agentCaller } from './agent-meta.ts';
import { isConversation } from './entry-fields.ts';
import { isSubagentFile, sessionOfFile, subagentsFolder } from './layout.ts';
import { nodeNamed } from './named-node.ts';
import { pageOf } from './page.ts';
import { namesIn } from './session-places.ts';
import type { Loaded } from './store.ts';
import { wholeHistory } from './stored-session.ts';
import { readTranscript } from './transcript-reader.ts';
import { activeLeaf, pathTo, readTree, type Tree } from './tree.ts';

/** A message of a stored conversation, in the words of the wire. */
export interface SessionMessage {
  type: 'user' | 'assistant' | 'system';
  /** Empty in files of old versions, which have none. */
  uuid: string;
  session_id: string;
  /** As it is stored: a message of the model API; for `system`, its whole entry. */
  message: unknown;
  /** Of a subagent: the call that it works for. */
  parent_tool_use_id: string | null;
  /** Of a subagent that another one has called: that one. */
  parent_agent_id: string | null;
  /** ISO 8601. */
  timestamp?: string;
}

export interface MessagesOptions {
  limit?: number;
  offset?: number;
  /** System entries of the branch, too: compaction boundaries, notices. */
  includeSystemMessages?: boolean;
  /** The branch up to this message instead of the active one. */
  upToMessageId?: string;
  /** What compactions have replaced, too. Otherwise it begins with the summary of the last one. */
  includeCompacted?: boolean;
}

/**
 * The messages of a session's active branch, oldest first: what a resume would go on from. Left out is what the runtime
 * itself told the model (`isMeta`).
 */
export async function getSessionMessages(path: string, options: MessagesOptions = {}): Promise<SessionMessage[]> {
  return messagesOf(readTranscript(path), sessionOfFile(basename(path)), options);
}

/** The same of what a store has loaded. `sessionId` null: each message is of the session that its entry names. */
export async function messagesOf(
  loaded: AsyncIterable<Loaded>,
  sessionId: string | null,
  options: MessagesOptions = {},
): Promise<SessionMessage[]> {
  const tree = await readTree(loaded);
  const shown = branchOf(tree, options).filter((entry) => isShown(entry, options));
  return pageOf(shown, options).map((entry) => toMessage(entry, sessionId));
}

/** The ids of the subagents that have a transcript beside that of their session. */
export function listSubagents(path: string): string[] {
  const files = namesIn(subagentsFolder(path)).filter(isSubagentFile);
  return files.map((name) => name.slice('agent-'.length, -'.jsonl'.length)).sort();
}

/** What was said between a session and one of its subagents. */
export async function getSubagentMessages(
  path: string,
  agentId: string,
  options: MessagesOptions = {},
): Promise<SessionMessage[]> {
  if (!listSubagents(path).includes(agentId)) {
    const folder = subagentsFolder(path);
    const message = `No subagent '${agentId}' in this session (looked in ${folder})`;
    throw new HeddleError('session_not_found', message, { facts: { agentId, looked: [folder] } });
  }
  const file = join(subagentsFolder(path), `agent-${agentId}.jsonl`);
  const { toolUseId, parentAgentId } = agentCaller(file);
  const messages = await getSessionMessages(file, options);
  return messages.map((each) => ({ ...each, parent_tool_use_id: toolUseId, parent_agent_id: parentAgentId }));
}

function branchOf(tree: Tree, { upToMessageId, includeCompacted }: MessagesOptions): Entry[] {
  const leaf = upToMessageId === undefined ? activeLeaf(tree).leaf : nodeNamed(tree, upToMessageId);
  if (leaf === null) return [];
  return includeCompacted ? wholeHistory(tree, leaf.id) : pathTo(tree, leaf.id);
}

export function isShown(entry: Entry, { includeSystemMessages }: MessagesOptions): boolean {
  if (entry.type === 'system') return includeSystemMessages === true;
  return isConversation(entry) && entry.isMeta !== true;
}

export function toMessage(entry: Entry, sessionId: string | null): SessionMessage {
  const { type } = entry;
  const timestamp = stringField(entry, 'timestamp');
  return {
    type: type === 'user' || type === 'assistant' ? type : 'system',
    uuid: stringField(entry, 'uuid') ?? '',
    session_id: sessionId ?? stringField(entry, 'sessionId') ?? '',
    message: type === 'system' ? entry : entry.message,
    parent_tool_use_id: null,
    parent_agent_id: null,
    ...(timestamp !== undefined && { timestamp }),
  };
}
