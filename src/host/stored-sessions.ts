import { findSession } from '../sessions/catalog.ts';
import { holding } from '../sessions/hold.ts';
import { type LeanSession, openLeanSession } from '../sessions/lean-session.ts';
import { deleteSession, type Switched, switchLeaf } from '../sessions/session-admin.ts';
import { readStoredSession, type StoredSession } from '../sessions/stored-session.ts';
import type { Logger } from '../util/runtime.ts';

export { listSessions, type SessionSummary, sessionSummary } from '../sessions/catalog.ts';
export { archiveSession, forkSession, renameSession, tagSession } from '../sessions/session-admin.ts';
export { findMessage, type StoredSession } from '../sessions/stored-session.ts';

/** What the command line does with stored sessions, by the name that somebody gave one. */
export interface SessionsPlace {
  /** The config home. */
  home: string;
  /** A real path: its sessions come first. */
  cwd: string;
  log: Logger;
}

export interface FoundStored {
  sessionId: string;
  path: string;
}

/** A session by its id, the beginning of it, its title or its file. Rejects with `session_not_found`. */
export function findStored(name: string, { home, cwd }: SessionsPlace): Promise<FoundStored> {
  return findSession({ home, name, project: cwd, cwd });
}

export async function openStored(name: string, place: SessionsPlace): Promise<StoredSession> {
  return readStoredSession(await findStored(name, place));
}

/** The same for whoever reads it through: its long texts are read when they are wanted. To be closed. */
export async function openLean(name: string, place: SessionsPlace): Promise<LeanSession> {
  return openLeanSession(await findStored(name, place));
}

/** Does something to a session that nobody else writes to meanwhile. Rejects with `session_busy`. */
export function withSession<T>(sessionId: string, place: SessionsPlace, work: () => Promise<T>): Promise<T> {
  return holding(sessionId, place, work);
}

/** Records which message the conversation goes on from. Rejects for a message that the session does not hold. */
export async function switchStored(name: string, message: string, place: SessionsPlace): Promise<Switched> {
  const found = await findStored(name, place);
  return withSession(found.sessionId, place, () => switchLeaf(found, message));
}

/** Moves a session to the trash; resolves with where it is now. Rejects with `session_busy`. */
export function deleteStored(found: FoundStored, place: SessionsPlace & { now: () => number }): Promise<string> {
  return withSession(found.sessionId, place, async () => {
    const { movedTo } = await deleteSession(found, { home: place.home, now: place.now });
    return movedTo;
  });
}
