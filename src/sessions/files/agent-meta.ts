import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { stringField, tryParseJson } from '../util/json.ts';
import { smallText } from '../util/small-file.ts';

/** What a subagent is and which call it works for, in a file beside its transcript, as the reference keeps it. */
export interface AgentMeta {
  agentType: string;
  isBuiltIn: boolean;
  description: string;
  toolUseId: string;
  spawnDepth: number;
  /** The agent that has called it; absent when that is the session itself. */
  parentAgentId?: string;
}

const MAX_BYTES = 64 * 1024;

function metaFile(transcript: string): string {
  return transcript.replace(/\.jsonl$/, '.meta.json');
}

/** What is there already stays: an agent that is resumed was called by the first call. */
export function writeAgentMeta(transcript: string, meta: AgentMeta): void {
  mkdirSync(dirname(transcript), { recursive: true, mode: 0o700 });
  try {
    writeFileSync(metaFile(transcript), JSON.stringify(meta), { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** Whose work it was. Null where that is not known: older sessions have no such file. */
export function agentCaller(transcript: string): { toolUseId: string | null; parentAgentId: string | null } {
  const meta = tryParseJson(smallText(metaFile(transcript), MAX_BYTES) ?? '');
  return {
    toolUseId: stringField(meta, 'toolUseId') ?? null,
    parentAgentId: stringField(meta, 'parentAgentId') ?? null,
  };
}
