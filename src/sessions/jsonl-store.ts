import { readdirSync, rmdirSync, statSync, unlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Logger } from '../util/runtime.ts';
import { isSubagentFile, projectFolders, sessionOfFile, subagentsFolder, transcriptPaths } from './layout.ts';
import { isMissing, sessionUnreadable, storageFailed } from './storage-errors.ts';
import type { SessionInfo, SessionKey, SessionStore } from './store.ts';
import { openTranscript, type TranscriptFile, type WriteBytes, writeToFile } from './transcript-file.ts';
import { readTranscript } from './transcript-reader.ts';

export interface JsonlStoreOptions {
  /** The config home; sessions are under `projects` in it. Nothing is created before the first append. */
  home: string;
  log: Logger;
  /** For fault tests. */
  write?: WriteBytes;
}

/** Transcripts kept open at most; the one not used for longest is closed and reopened when needed. */
const MAX_OPEN = 64;

/**
 * Sessions as JSON lines in `<home>/projects/<slug>/<session>.jsonl`, subagents beside them; the layout of the
 * reference, so that its folders can be used as they are.
 *
 * `append` does its work before it returns its promise, with one write(2) per group: so appends are in the order of the
 * calls, nothing can come in between, and what has resolved survives the death of this process.
 */
export function createJsonlStore(options: JsonlStoreOptions): SessionStore & Required<Pick<SessionStore, 'locate'>> {
  const { home, log, write = writeToFile } = options;
  const openFiles = new Map<string, TranscriptFile>();

  return {
    async append(key, entries) {
      if (entries.length > 0) opened(locate(home, key)).append(entries);
    },
    load: (key) => readTranscript(locate(home, key)),
    exists: async (key) => modified(locate(home, key)) !== null,
    list: async (project) => listSessions(projectFolders(home, project)),
    locate: (key) => locate(home, key),
    async remove(key) {
      const path = locate(home, key);
      const below = subagentsFolder(path);
      for (const name of [...openFiles.keys()]) if (name === path || dirname(name) === below) close(name);
      if (key.agentId === undefined) removeSubagents(below);
      removeFile(path);
    },
    async close() {
      for (const path of [...openFiles.keys()]) close(path);
    },
  };

  function opened(path: string): TranscriptFile {
    const file = openFiles.get(path) ?? openTranscript(path, { write, log });
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

/** The transcript's path: where it is, else where it would be created. */
function locate(home: string, key: SessionKey): string {
  const [own, ...older] = transcriptPaths(home, key);
  if (older.length === 0) return own;
  return [own, ...older].find((path) => modified(path) !== null) ?? own;
}

/** Newest first. Synchronous on purpose: a stat takes microseconds, a trip to the thread pool ten times that. */
function listSessions(folders: readonly string[]): SessionInfo[] {
  const sessions = new Map<string, SessionInfo>();
  for (const folder of folders) {
    for (const name of namesIn(folder)) {
      const sessionId = sessionOfFile(name);
      if (sessionId === null || sessions.has(sessionId)) continue;
      const found = modified(join(folder, name));
      if (found?.isFile) sessions.set(sessionId, { sessionId, lastModified: found.at, size: found.size });
    }
  }
  return [...sessions.values()].sort((a, b) => b.lastModified - a.lastModified || (a.sessionId < b.sessionId ? -1 : 1));
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw sessionUnreadable(folder, error);
  }
}

function modified(path: string): { at: number; size: number; isFile: boolean } | null {
  try {
    const stat = statSync(path);
    return { at: stat.mtimeMs, size: stat.size, isFile: stat.isFile() };
  } catch {
    return null;
  }
}

/** Only what is a subagent's transcript; folders go when nothing else is in them (ruling G9). */
function removeSubagents(folder: string): void {
  const names = namesIn(folder);
  for (const name of names) if (isSubagentFile(name)) removeFile(join(folder, name));
  for (const emptied of names.length > 0 ? [folder, dirname(folder)] : []) {
    try {
      rmdirSync(emptied);
    } catch {
      return;
    }
  }
}

function removeFile(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (!isMissing(error)) throw storageFailed(path, error);
  }
}
