import { join } from 'node:path';
import { existingPath } from '../util/existing-path.ts';
import type { Entry } from '../wire/entries.ts';
import { HeddleError } from '../wire/errors.ts';
import { subagentsFolder } from './layout.ts';
import { listSubagents } from './messages.ts';
import type { FoundSession } from './session-files.ts';
import type { Damage, SessionKey, SessionStore } from './store.ts';
import { readTranscript } from './transcript-reader.ts';

export interface ImportOptions {
  /** The real path of the working directory that it is to belong to. */
  project: string;
  includeSubagents: boolean;
  /** Entries in one append, at the most. */
  batchSize: number;
}

export interface ImportedSession {
  /** Entries that were handed to the store, those of subagents included. It keeps those that it does not hold yet. */
  entries: number;
  /** The subagents whose transcripts came along. */
  subagents: string[];
  /** What of the files is no entry, and stayed behind. */
  damage: (Damage & { path: string })[];
}

/**
 * Copies a transcript into a store, and those of its subagents. Rejects as `append` of the store does; what was appended
 * until then is there, and a second try adds the rest.
 */
export async function importSession(
  { sessionId, path }: FoundSession,
  store: SessionStore,
  { project, includeSubagents, batchSize }: ImportOptions,
): Promise<ImportedSession> {
  const imported: ImportedSession = { entries: 0, subagents: includeSubagents ? listSubagents(path) : [], damage: [] };
  const key: SessionKey = { project, sessionId };
  refuseItself(store, key, path);
  const files = imported.subagents.map((agentId) => ({
    path: join(subagentsFolder(path), `agent-${agentId}.jsonl`),
    key: { ...key, agentId },
  }));
  for (const file of [{ path, key }, ...files]) await copy(file, store, { batchSize, imported });
  return imported;
}

async function copy(
  { path, key }: { path: string; key: SessionKey },
  store: SessionStore,
  { batchSize, imported }: { batchSize: number; imported: ImportedSession },
): Promise<void> {
  let batch: Entry[] = [];
  const handOver = async () => {
    if (batch.length > 0) await store.append(key, batch);
    imported.entries += batch.length;
    batch = [];
  };
  for await (const item of readTranscript(path)) {
    if ('entry' in item) batch.push(item.entry);
    else imported.damage.push({ ...item.damage, path });
    if (batch.length >= batchSize) await handOver();
  }
  await handOver();
}

/** Entries without a uuid would be appended to the file that they are read from, without end. */
function refuseItself(store: SessionStore, key: SessionKey, path: string): void {
  const there = store.locate?.(key);
  if (there === undefined || existingPath(there) !== existingPath(path)) return;
  throw new HeddleError('invalid_option', `The session is in this store already: ${path}`, { facts: { path } });
}
