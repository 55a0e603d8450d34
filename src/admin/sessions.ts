import { deleteSession, type Switched, switchLeaf } from '../sessions/stored/change-session.ts';
import { type LeanSession, openLeanSession } from '../sessions/stored/lean-session.ts';
import { findSession, listSessions } from '../sessions/stored/list-sessions.ts';
import { readStoredSession, type StoredSession } from '../sessions/stored/stored-session.ts';
import { withLease } from '../sessions/stores/with-lease.ts';
import type { Logger } from '../util/runtime.ts';
import { HeddleError } from '../wire/errors.ts';

export { archiveSession, forkSession, renameSession, tagSession } from '../sessions/stored/change-session.ts';
export { listSessions, type SessionSummary, sessionSummary } from '../sessions/stored/list-sessions.ts';
export { sessionFigures } from '../sessions/stored/session-figures.ts';
export { findMessage, type StoredSession } from '../sessions/stored/stored-session.ts';
export { listTrash, restoreTrashed, type TrashedSession } from '../sessions/stored/trash.ts';

/** Operations of the command line on stored sessions, which users name by id, title or file. */
export interface SessionsLocation {
  /** The config home. */
  home: string;
  /** A real path: its sessions come first. */
  cwd: string;
  log: Logger;
}

export interface StoredSessionFile {
  sessionId: string;
  path: string;
}

/** A session by its id, a prefix of it, its title or its file. Rejects with `session_not_found`. */
export function findStored(name: string, { home, cwd }: SessionsLocation): Promise<StoredSessionFile> {
  return findSession({ home, name, project: cwd, cwd });
}

/** Without a name, the session of this directory that was written to last. */
export async function openStored(name: string | undefined, location: SessionsLocation): Promise<StoredSession> {
  return readStoredSession(name === undefined ? await newestStored(location) : await findStored(name, location));
}

export async function newestStored({ home, cwd }: SessionsLocation): Promise<StoredSessionFile> {
  const [newest] = await listSessions({ home, project: cwd, limit: 1 });
  if (newest) return newest;
  const message = `There are no sessions of ${cwd} in ${home}: name one of another directory (heddle sessions list --all)`;
  throw new HeddleError('session_not_found', message, { facts: { cwd, home } });
}

/** `openStored` for callers that read the session once: its long texts are loaded on demand. The caller closes it. */
export async function openLean(name: string | undefined, location: SessionsLocation): Promise<LeanSession> {
  return openLeanSession(name === undefined ? await newestStored(location) : await findStored(name, location));
}

/**
 * Runs work on a session under its lease, so that no other process writes to it meanwhile. Rejects with `session_busy`.
 */
export function withSession<T>(sessionId: string, location: SessionsLocation, work: () => Promise<T>): Promise<T> {
  return withLease(sessionId, location, work);
}

/**
 * Records the message from which the conversation continues. Rejects for a message that the session does not contain.
 */
export async function switchStored(name: string, message: string, location: SessionsLocation): Promise<Switched> {
  const found = await findStored(name, location);
  return withSession(found.sessionId, location, () => switchLeaf(found, message));
}

/** Moves a session to the trash; resolves with its new path. Rejects with `session_busy`. */
export function deleteStored(
  found: StoredSessionFile,
  place: SessionsLocation & { now: () => number },
): Promise<string> {
  return withSession(found.sessionId, place, async () => {
    const { movedTo } = await deleteSession(found, { home: place.home, now: place.now });
    return movedTo;
  });
}
