import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { smallText } from '../../util/files/small-file.ts';
import { stringField, tryParseJson } from '../../util/json.ts';

/**
 * The type of a subagent and the call it works for, in a file next to its transcript, in the format of the reference.
 */
export interface AgentMeta {
  agentType: string;
  isBuiltIn: boolean;
  description: string;
  toolUseId: string;
  spawnDepth: number;
  /** The agent that called it; absent when the session itself did. */
  parentAgentId?: string;
}

const MAX_BYTES = 64 * 1024;

function metaFile(transcript: string): string {
  return transcript.replace(/\.jsonl$/, '.meta.json');
}

/** An existing file stays: a resumed agent belongs to the call that first started it. */
export function writeAgentMeta(transcript: string, meta: AgentMeta): void {
  mkdirSync(dirname(transcript), { recursive: true, mode: 0o700 });
  try {
    writeFileSync(metaFile(transcript), JSON.stringify(meta), { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** The call that started the agent. Null where it is unknown: older sessions have no such file. */
export function agentCaller(transcript: string): { toolUseId: string | null; parentAgentId: string | null } {
  const { toolUseId, parentAgentId } = agentMetaOf(transcript);
  return { toolUseId, parentAgentId };
}

/** What is known of an agent; null where it is not. */
export function agentMetaOf(
  transcript: string,
): Record<'toolUseId' | 'parentAgentId' | 'agentType' | 'description', string | null> {
  const meta = tryParseJson(smallText(metaFile(transcript), MAX_BYTES) ?? '');
  const field = (name: string) => stringField(meta, name) ?? null;
  return {
    ...{ toolUseId: field('toolUseId'), parentAgentId: field('parentAgentId') },
    ...{ agentType: field('agentType'), description: field('description') },
  };
}
