import { createLeases } from '../sessions/leases.ts';
import { deleteSession } from '../sessions/session-admin.ts';
import type { FoundSession } from '../sessions/session-files.ts';
import { thisProcess } from '../util/process-alive.ts';
import { silentLogger } from '../util/system-runtime.ts';

/** Moves a session to the trash, unless somebody writes to it: what is said there would go to the trash, too. */
export async function removeUnheld(found: FoundSession, home: string): Promise<{ movedTo: string }> {
  const leases = createLeases({ home, log: silentLogger });
  await leases.take(found.sessionId, thisProcess());
  try {
    return await deleteSession(found, { home, now: Date.now });
  } finally {
    leases.close();
  }
}
