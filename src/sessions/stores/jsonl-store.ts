import { dirname, join } from 'node:path';
import { later } from '../util/later.ts';
import { processLogger } from '../util/process-warning.ts';
import type { Logger } from '../util/runtime.ts';
import type { Entry } from '../wire/entries.ts';
import { HeddleError } from '../wire/errors.ts';
import { checkKey, projectFolders, sessionOfFile, subagentsFolder } from './layout.ts';
import { createLeases } from './leases.ts';
import { createSessionPlaces, fileAt, namesIn } from './session-places.ts';
import type { AppendOptions, SessionInfo, SessionStore } from './store.ts';
import { openTranscript, type TranscriptFile, type WriteBytes, writeToFile } from './transcript-file.ts';

export interface JsonlStoreOptions {
  /** The config home; sessions are under `projects` in it. Nothing is created before the first append. */
  home: string;
  /** Default: warnings are those of the process (`HeddleWarning`). */
  log?: Logger;
  /** For fault tests. */
  write?: WriteBytes;
}

export type JsonlStore = SessionStore & Required<Pick<SessionStore, 'locate' | 'find' | 'lease' | 'remove'>>;

/** Transcripts kept open at most; the one not used for longest is closed and reopened when needed. */
const MAX_OPEN = 64;

/**
 * Sessions as JSON lines in `<home>/projects/<slug>/<session>.jsonl`, subagents beside them; the layout of the
 * reference, so that its folders can be used as they are.
 *
 * `append` does its work before it returns its promise, with one write(2) per group: so appends are in the order of the
 * calls, nothing can come in between, and what has resolved survives the death of this process. A file that was moved away
 * or replaced meanwhile is written anew, or completed, first; one that was deleted is begun anew.
 *
 * @example
 * ```ts
 * import { createEngine } from 'heddle/engine';
 *
 * const store = createJsonlStore({ home: '/srv/agents', log: (level, message) => console.error(level, message) });
 * const engine = createEngine({ cwd: process.cwd(), store });
 * ```
 */
export function createJsonlStore(options: JsonlStoreOptions): JsonlStore {
  if (typeof options?.home !== 'string') {
    throw new HeddleError(
      'invalid_option',
      "createJsonlStore needs home, a directory: createJsonlStore({ home: '…' })",
    );
  }
  const { home, log = processLogger(), write = writeToFile } = options;
  const { locate, find, forget } = createSessionPlaces(home);
  const leases = createLeases({ home, log });
  const openFiles = new Map<string, TranscriptFile>();
  /** By path, the appends that could not be made at once. */
  const settling = new Map<string, Promise<void>>();

  return {
    async append(key, entries, how) {
      if (entries.length > 0) await appendTo(locate(key), entries, how);
    },
    load(key) {
      const path = locate(key);
      return later(async () => (await import('./transcript-reader.ts')).readTranscript(path));
    },
    async loadRecent(key) {
      const { readRecent } = await import('./transcript-tail.ts');
      return readRecent(locate(key));
    },
    watch(key, { signal }) {
      const path = locate(key);
      const from = fileAt(path)?.size ?? 0;
      return later(async () => (await import('./transcript-watch.ts')).watchTranscript(path, from, signal));
    },
    async has(key, uuid) {
      const path = locate(key);
      return fileAt(path) !== null && opened(path).has(uuid);
    },
    exists: async (key) => fileAt(locate(key)) !== null,
    list: async (project) => listSessions(projectFolders(home, project)),
    async subagents(key) {
      const { listSubagents } = await import('./messages.ts');
      return listSubagents(locate({ project: key.project, sessionId: key.sessionId }));
    },
    find: async (sessionId) => find(sessionId),
    async lease(key, holder) {
      checkKey(key);
      const lease = await leases.take(key.sessionId, holder);
      try {
        // Who is going to write to a transcript that is there knows from now on what becomes of it.
        if (fileAt(locate(key))?.isFile) opened(locate(key));
      } catch {
        // Whoever writes to it is told.
      }
      return lease;
    },
    locate,
    async remove(key) {
      const { removeTranscript } = await import('./remove-transcript.ts');
      const path = locate(key);
      const below = subagentsFolder(path);
      const isWhole = key.agentId === undefined;
      for (const name of [...openFiles.keys()]) if (name === path || dirname(name) === below) close(name);
      removeTranscript(path, { subagents: isWhole ? below : null });
      if (isWhole) forget(key.sessionId);
    },
    async close() {
      leases.close();
      for (const path of [...openFiles.keys()]) close(path);
    },
  };

  /** At once, unless the file does not lie at its path any more: then it is seen to first, and what comes meanwhile waits. */
  function appendTo(path: string, entries: readonly Entry[], how?: AppendOptions): Promise<void> | undefined {
    const before = settling.get(path);
    const file = opened(path);
    const isWritten = !before && file.isInPlace();
    if (isWritten) file.append(entries, how);
    // Before anybody is told that it is stored: what was moved away in between comes back with these entries.
    if (isWritten && file.isInPlace()) return undefined;
    const work = async () => {
      await before?.catch(() => {}); // whose trouble that was has been told
      const { goOnInPlace } = await import('./moved-transcript.ts');
      const state = goOnInPlace(opened(path), path, log);
      if (!isWritten || state === 'deleted') opened(path).append(entries, how);
    };
    const settled = work().finally(() => settling.get(path) === settled && settling.delete(path));
    settling.set(path, settled);
    return settled;
  }

  function opened(path: string): TranscriptFile {
    const file = openFiles.get(path) ?? openTranscript(path, { write });
    openFiles.delete(path);
    openFiles.set(path, file);
    const [oldest] = openFiles.keys();
    if (openFiles.size > MAX_OPEN && oldest !== undefined) close(oldest);
    return file;
  }

  function close(path: string): void {
    openFiles.get(path)?.close();
    openFiles.delete(path);
  }
}

/** Newest first. Synchronous on purpose: a stat takes microseconds, a trip to the thread pool ten times that. */
function listSessions(folders: readonly string[]): SessionInfo[] {
  const sessions = new Map<string, SessionInfo>();
  for (const folder of folders) {
    for (const name of namesIn(folder)) {
      const sessionId = sessionOfFile(name);
      if (sessionId === null || sessions.has(sessionId)) continue;
      const found = fileAt(join(folder, name));
      if (found?.isFile) sessions.set(sessionId, { sessionId, lastModified: found.at, size: found.size });
    }
  }
  return [...sessions.values()].sort((a, b) => b.lastModified - a.lastModified || (a.sessionId < b.sessionId ? -1 : 1));
}
