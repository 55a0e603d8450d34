import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isSessionId, transcriptPaths } from './layout.ts';
import { isMissing, sessionUnreadable } from './storage-errors.ts';
import type { SessionKey } from './store.ts';

/** Where the transcripts of a config home are. */
export interface SessionPlaces {
  /** The transcript's path: where it is, else where it would be created. */
  locate(key: SessionKey): string;
  /** Looks for a session in all projects; from then on `locate` knows where it is, whatever project a key names. */
  find(sessionId: string): SessionKey | null;
  forget(sessionId: string): void;
}

export function createSessionPlaces(home: string): SessionPlaces {
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
      // A path cannot be told from a slug; the slug of a slug is itself.
      return { project: basename(newest), sessionId };
    },
    forget: (sessionId) => void found.delete(sessionId),
  };
}

/** What is at a path; null when nothing is, or nothing that may be looked at. */
export function fileAt(path: string): { at: number; size: number; isFile: boolean } | null {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat ? { at: stat.mtimeMs, size: stat.size, isFile: stat.isFile() } : null;
  } catch {
    return null;
  }
}

/** Of a folder that is not there, none. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw sessionUnreadable(folder, error);
  }
}

/** A subagent is where its session is, also before its first entry. */
function isInOwnProject(home: string, { project, sessionId }: SessionKey): boolean {
  return transcriptPaths(home, { project, sessionId }).some((path) => fileAt(path) !== null);
}

function fromProject(path: string, { agentId }: SessionKey): string {
  const file = basename(path);
  if (agentId === undefined) return file;
  const subagents = dirname(path);
  return join(basename(dirname(subagents)), basename(subagents), file);
}

/** The project folder with the session; the one written to last where several have it. */
function searchProjects(projects: string, sessionId: string): string | null {
  let newest: { folder: string; at: number } | null = null;
  for (const name of namesIn(projects)) {
    const folder = join(projects, name);
    const file = fileAt(join(folder, `${sessionId}.jsonl`));
    if (file?.isFile && (newest === null || file.at > newest.at)) newest = { folder, at: file.at };
  }
  return newest?.folder ?? null;
}
