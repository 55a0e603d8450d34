import { holding } from '../sessions/hold.ts';
import { deleteSession, switchLeaf } from '../sessions/session-admin.ts';
import type { FoundSession } from '../sessions/session-files.ts';
import { silentLogger } from '../util/system-runtime.ts';

/** Moves a session to the trash, unless somebody writes to it: what is said there would go to the trash, too. */
export function removeUnheld(found: FoundSession, home: string): Promise<{ movedTo: string }> {
  return holding(found.sessionId, { home, log: silentLogger }, () => deleteSession(found, { home, now: Date.now }));
}

/** Records where a session goes on, unless somebody is about to go on with it. */
export function switchUnheld(found: FoundSession, home: string, leaf: string): Promise<{ leaf: string }> {
  return holding(found.sessionId, { home, log: silentLogger }, () => switchLeaf(found, leaf));
}
