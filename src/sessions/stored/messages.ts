import { basename, join } from 'node:path';
import { stringField } from '../../util/json.ts';
import type { Entry } from '../../wire/entries.ts';
import { HeddleError } from '../../wire/errors.ts';
import { isConversation } from '../entry-fields.ts';
import { agentCaller } from '../files/agent-meta.ts';
import { namesIn } from '../files/session-folders.ts';
import { isSubagentFile, sessionOfFile, subagentsFolder } from '../files/session-paths.ts';
import { readTranscript } from '../files/transcript-reader.ts';
import type { Loaded } from '../store.ts';
import { activeLeaf, pathTo, readTree, type Tree } from '../tree/build-tree.ts';
import { nodeNamed } from '../tree/find-node.ts';
import { pageOf } from './list-sessions.ts';
import { wholeHistory } from './stored-session.ts';

/** A message of a stored conversation, in the format of the wire. */
export interface SessionMessage {
  type: 'user' | 'assistant' | 'system';
  /** Empty in files of old versions, which have no uuids. */
  uuid: string;
  session_id: string;
  /** As it is stored: a message of the model API; for `system`, its whole entry. */
  message: unknown;
  /** For a subagent: the call that it works for. */
  parent_tool_use_id: string | null;
  /** For a subagent that another one called: that agent. */
  parent_agent_id: string | null;
  /** ISO 8601. */
  timestamp?: string;
}

export interface MessagesOptions {
  limit?: number;
  offset?: number;
  /** Includes system entries of the branch: compaction boundaries, notices. */
  includeSystemMessages?: boolean;
  /** The branch up to this message instead of the active one. */
  upToMessageId?: string;
  /**
   * Includes messages that compactions have replaced. Otherwise the list begins with the summary of the last
   * compaction.
   */
  includeCompacted?: boolean;
}

/**
 * The messages of a session's active branch, oldest first: the conversation that a resume would continue. Messages of
 * the runtime to the model (`isMeta`) are left out.
 */
export async function getSessionMessages(path: string, options: MessagesOptions = {}): Promise<SessionMessage[]> {
  return messagesOf(readTranscript(path), sessionOfFile(basename(path)), options);
}

/** `getSessionMessages` for the entries of a store. `sessionId` null: each message has the session id of its entry. */
export async function messagesOf(
  loaded: AsyncIterable<Loaded>,
  sessionId: string | null,
  options: MessagesOptions = {},
): Promise<SessionMessage[]> {
  const tree = await readTree(loaded);
  const shown = branchOf(tree, options).filter((entry) => isShown(entry, options));
  return pageOf(shown, options).map((entry) => toMessage(entry, sessionId));
}

/** The ids of the subagents that have a transcript in the folder of their session. */
export function listSubagents(path: string): string[] {
  const files = namesIn(subagentsFolder(path)).filter(isSubagentFile);
  return files.map((name) => name.slice('agent-'.length, -'.jsonl'.length)).sort();
}

/** The messages between a session and one of its subagents. */
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
