import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isMissing, sessionUnreadable } from '../storage-errors.ts';
import type { SessionKey } from '../store.ts';
import { isSessionId, transcriptPaths } from './session-paths.ts';

/** Finds the transcripts of a config home. */
export interface SessionFolders {
  /** The transcript's path: the existing one, else the one that would be created. */
  locate(key: SessionKey): string;
  /** Searches a session in all projects; afterwards `locate` knows its path, whatever project a key names. */
  find(sessionId: string): SessionKey | null;
  forget(sessionId: string): void;
}

export function createSessionFolders(home: string): SessionFolders {
  const found = new Map<string, string>();

  return {
    locate(key) {
      const elsewhere = found.get(key.sessionId);
      const paths = transcriptPaths(home, key);
      if (elsewhere !== undefined && !isInOwnProject(home, key)) return join(elsewhere, fromProject(paths[0], key));
      return paths.length === 1 ? paths[0] : (paths.find((path) => fileAt(path) !== null) ?? paths[0]);
    },
    find(sessionId) {
      if (!isSessionId(sessionId)) return null;
      const newest = searchProjects(join(home, 'projects'), sessionId);
      if (newest === null) return null;
      found.set(sessionId, newest);
      // A slug does not reveal the path; the slug of a slug is itself.
      return { project: basename(newest), sessionId };
    },
    forget: (sessionId) => void found.delete(sessionId),
  };
}

/** The file at a path; null when there is none, or none that may be read. */
export function fileAt(path: string): { at: number; size: number; isFile: boolean } | null {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat ? { at: stat.mtimeMs, size: stat.size, isFile: stat.isFile() } : null;
  } catch {
    return null;
  }
}

/** The names in a folder; empty for a missing folder. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw sessionUnreadable(folder, error);
  }
}

/** A subagent belongs to the folder of its session, even before its first entry. */
function isInOwnProject(home: string, { project, sessionId }: SessionKey): boolean {
  return transcriptPaths(home, { project, sessionId }).some((path) => fileAt(path) !== null);
}

function fromProject(path: string, { agentId }: SessionKey): string {
  const file = basename(path);
  if (agentId === undefined) return file;
  const subagents = dirname(path);
  return join(basename(dirname(subagents)), basename(subagents), file);
}

/** The project folder that contains the session; of several, the one written to last. */
function searchProjects(projects: string, sessionId: string): string | null {
  let newest: { folder: string; at: number } | null = null;
  for (const name of namesIn(projects)) {
    const folder = join(projects, name);
    const file = fileAt(join(folder, `${sessionId}.jsonl`));
    if (file?.isFile && (newest === null || file.at > newest.at)) newest = { folder, at: file.at };
  }
  return newest?.folder ?? null;
}
