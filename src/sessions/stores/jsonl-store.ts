import { dirname, join } from 'node:path';
import { processLogger } from '../../util/process/process-warning.ts';
import type { Logger } from '../../util/runtime.ts';
import type { Entry } from '../../wire/entries.ts';
import { HeddleError } from '../../wire/errors.ts';
import { continueAtPath } from '../files/moved-transcript.ts';
import { removeTranscript } from '../files/remove-transcript.ts';
import { createSessionFolders, fileAt, namesIn } from '../files/session-folders.ts';
import { checkKey, projectFolders, sessionOfFile, subagentsFolder } from '../files/session-paths.ts';
import { openTranscript, type TranscriptFile, type WriteBytes, writeToFile } from '../files/transcript-file.ts';
import { readTranscript } from '../files/transcript-reader.ts';
import { readRecent } from '../files/transcript-tail.ts';
import { watchTranscript } from '../files/transcript-watch.ts';
import type { AppendOptions, Lease, SessionInfo, SessionStore } from '../store.ts';
import { listSubagents } from '../stored/messages.ts';
import { type CallMarks, createCallMarks } from './call-marks.ts';
import { createLeases, type Leases } from './lease-set.ts';

export interface JsonlStoreOptions {
  /** The config home; sessions are under `projects` in it. Nothing is created before the first append. */
  home: string;
  /** Default: warnings go to `process.emitWarning` (`HeddleWarning`). */
  log?: Logger;
  /** For fault tests. */
  write?: WriteBytes;
}

export type JsonlStore = SessionStore & Required<Pick<SessionStore, 'locate' | 'find' | 'lease' | 'remove'>>;

/** The most transcripts kept open; the least recently used one is closed and reopened when needed. */
const MAX_OPEN = 64;

/**
 * Stores sessions as JSON lines in `<home>/projects/<slug>/<session>.jsonl`, with subagents in a folder next to them;
 * the layout of the reference, so that its folders can be used unchanged.
 *
 * `append` does its work before it returns its promise, with one write(2) per group: so appends are in the order of the
 * calls, nothing can come in between, and resolved entries survive the death of this process. A file that was moved
 * away or replaced meanwhile is first restored or completed; a deleted one is started again.
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
  const { locate, find, forget } = createSessionFolders(home);
  const leases = createLeases({ home, log });
  const marks = createCallMarks(home);
  const marking = markingIn(marks, leases);
  const openFiles = new Map<string, TranscriptFile>();
  /** By path, the appends that could not be made at once. */
  const settling = new Map<string, Promise<void>>();

  return {
    async append(key, entries, how) {
      const path = locate(key);
      leases.check(key.sessionId);
      if (entries.length > 0) await appendTo(path, entries, how);
    },
    load: (key) => readTranscript(locate(key)),
    loadRecent: async (key) => readRecent(locate(key)),
    watch(key, { signal }) {
      const path = locate(key);
      const from = fileAt(path)?.size ?? 0;
      return watchTranscript(path, from, signal);
    },
    async has(key, uuid) {
      const path = locate(key);
      return fileAt(path) !== null && opened(path).has(uuid);
    },
    exists: async (key) => fileAt(locate(key)) !== null,
    list: async (project) => listSessions(projectFolders(home, project)),
    subagents: async ({ project, sessionId }) => listSubagents(locate({ project, sessionId })),
    find: async (sessionId) => find(sessionId),
    async lease(key, holder) {
      checkKey(key);
      const lease = await leases.take(key.sessionId, holder);
      try {
        // Opens an existing transcript now, so that a move of the file is noticed from now on.
        if (fileAt(locate(key))?.isFile) opened(locate(key));
      } catch {
        // A later append reports the problem.
      }
      return forgetting(lease, () => marks.forget(key.sessionId));
    },
    ...marking,
    locate,
    async remove(key) {
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

  /**
   * Appends at once, unless the file is no longer at its path: then that is repaired first, and further appends wait.
   */
  function appendTo(path: string, entries: readonly Entry[], how?: AppendOptions): Promise<void> | undefined {
    const before = settling.get(path);
    const file = opened(path);
    const isWritten = !before && file.isAtPath();
    if (isWritten) file.append(entries, how);
    // Checked before the append resolves: if the file was moved away in between, these entries are restored with it.
    if (isWritten && file.isAtPath()) return undefined;
    const work = async () => {
      await before?.catch(() => {}); // its own caller has already got this error
      const state = continueAtPath(opened(path), path, log);
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

/** Calls `forget` before the lease is given back, unless it was lost. */
function forgetting<L extends Lease & { readonly lost: AbortSignal }>({ lost, release }: L, forget: () => void): Lease {
  return {
    lost,
    async release() {
      if (!lost.aborted) forget();
      await release();
    },
  };
}

function markingIn(marks: CallMarks, leases: Leases): Required<Pick<SessionStore, 'mark' | 'neverStarted'>> {
  return {
    async mark(key, calls, mark) {
      checkKey(key);
      leases.check(key.sessionId);
      marks.note(key.sessionId, calls, mark);
    },
    async neverStarted(key, calls) {
      checkKey(key);
      return marks.neverStarted(key.sessionId, calls);
    },
  };
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
