import { statSync } from 'node:fs';
import { join } from 'node:path';
import { agentMetaOf } from '../../sessions/files/agent-meta.ts';
import { subagentsFolder } from '../../sessions/files/session-paths.ts';
import { listSubagents } from '../../sessions/stored/messages.ts';

export interface AgentOfSession {
  id: string;
  /** The call that started it; null: not known. */
  call: string | null;
  /** The agent that called it; null: the session itself. */
  parent: string | null;
  kind: string | null;
  description: string | null;
  bytes: number;
}

/** The agents of a session, with the calls that they work for. */
export function agentsOf(path: string): AgentOfSession[] {
  return listSubagents(path).map((id) => {
    const file = join(subagentsFolder(path), `agent-${id}.jsonl`);
    const { toolUseId, parentAgentId, agentType, description } = agentMetaOf(file);
    const bytes = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    return { id, call: toolUseId, parent: parentAgentId, kind: agentType, description, bytes };
  });
}
