import { join } from 'node:path';
import { existingPath } from '../../util/files/existing-path.ts';
import type { Entry } from '../../wire/entries.ts';
import { HeddleError } from '../../wire/errors.ts';
import type { LocatedSession } from '../files/session-files.ts';
import { subagentsFolder } from '../files/session-paths.ts';
import { readTranscript } from '../files/transcript-reader.ts';
import type { Damage, SessionKey, SessionStore } from '../store.ts';
import { listSubagents } from './messages.ts';

export interface ImportOptions {
  /** The real path of the working directory that the session will belong to. */
  project: string;
  includeSubagents: boolean;
  /** The most entries in one append. */
  batchSize: number;
}

export interface ImportedSession {
  /**
   * The number of entries passed to the store, including those of subagents. The store skips those that it already
   * holds.
   */
  entries: number;
  /** The subagents whose transcripts were imported. */
  subagents: string[];
  /** Parts of the files that are not entries and were not imported. */
  damage: (Damage & { path: string })[];
}

/**
 * Copies a transcript and those of its subagents into a store. Rejects as the store's `append` does; entries appended
 * until then stay, and a second try adds the rest.
 */
export async function importSession(
  { sessionId, path }: LocatedSession,
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

/** Otherwise entries without a uuid would be appended to the file that they are read from, without end. */
function refuseItself(store: SessionStore, key: SessionKey, path: string): void {
  const there = store.locate?.(key);
  if (there === undefined || existingPath(there) !== existingPath(path)) return;
  throw new HeddleError('invalid_option', `The session is in this store already: ${path}`, { facts: { path } });
}
