import { findSession, listSessions } from '../sessions/catalog.ts';
import { holding } from '../sessions/hold.ts';
import { type LeanSession, openLeanSession } from '../sessions/lean-session.ts';
import { deleteSession, type Switched, switchLeaf } from '../sessions/session-admin.ts';
import { readStoredSession, type StoredSession } from '../sessions/stored-session.ts';
import type { Logger } from '../util/runtime.ts';
import { HeddleError } from '../wire/errors.ts';

export { listSessions, type SessionSummary, sessionSummary } from '../sessions/catalog.ts';
export { archiveSession, forkSession, renameSession, tagSession } from '../sessions/session-admin.ts';
export { sessionFigures } from '../sessions/session-figures.ts';
export { findMessage, type StoredSession } from '../sessions/stored-session.ts';
export { listTrash, restoreTrashed, type TrashedSession } from '../sessions/trash.ts';

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

/** Without a name, the session of this directory that was written to last. */
export async function openStored(name: string | undefined, place: SessionsPlace): Promise<StoredSession> {
  return readStoredSession(name === undefined ? await newestStored(place) : await findStored(name, place));
}

async function newestStored({ home, cwd }: SessionsPlace): Promise<FoundStored> {
  const [newest] = await listSessions({ home, project: cwd, limit: 1 });
  if (newest) return newest;
  const message = `There are no sessions of ${cwd} in ${home}: name one of another directory (heddle sessions list --all)`;
  throw new HeddleError('session_not_found', message, { facts: { cwd, home } });
}

/** The same for whoever reads it through: its long texts are read when they are wanted. To be closed. */
export async function openLean(name: string | undefined, place: SessionsPlace): Promise<LeanSession> {
  return openLeanSession(name === undefined ? await newestStored(place) : await findStored(name, place));
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
