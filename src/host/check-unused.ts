import type { SessionKey, SessionStore } from '../sessions/store.ts';
import { HeddleError } from '../wire/errors.ts';

/**
 * Rejects with `session_exists` when a session of this or another project has the id: whoever asks for it by its id would
 * find one of the two, and the other would be hidden.
 */
export async function checkUnused(store: SessionStore, key: SessionKey): Promise<void> {
  const { sessionId } = key;
  if (await store.exists(key)) {
    const advice = 'resume it, or choose another one';
    throw new HeddleError('session_exists', `Error: Session ID ${sessionId} is already in use: ${advice}`);
  }
  const elsewhere = await store.find?.(sessionId);
  if (!elsewhere) return;
  const place = store.locate?.(elsewhere) ?? elsewhere.project;
  const advice = `resume it (--resume ${sessionId}), fork it (and --fork-session), or choose another id`;
  throw new HeddleError(
    'session_exists',
    `Error: Session ID ${sessionId} is already in use, by a session of another directory (${place}): ${advice}`,
    { facts: { sessionId, place } },
  );
}
