import type { Engine } from '../../host/engine/engine.ts';
import { deleteSession } from '../../sessions/stored/change-session.ts';
import { HeddleError } from '../../wire/errors.ts';
import type { ServerStore } from '../ports/server-store.ts';
import type { SessionRecord } from '../ports/session-records.ts';
import type { SessionRunner } from './session-runner.ts';

/**
 * Ends a session and moves its transcript to the trash; a store without a trash removes it. Rejects with `turn_running`
 * when the session is at work, unless it is forced.
 */
export async function removeSession(
  record: SessionRecord,
  options: { isForced: boolean; store: ServerStore; runner: Pick<SessionRunner, 'close'>; engine: Engine },
): Promise<void> {
  const { isForced, store, runner, engine } = options;
  const { id, config, workspace } = record;
  const state = await store.sessions.state(id);
  if (state !== 'idle' && !isForced) {
    const message = `The session is ${state}: interrupt it first, or remove it with ?force=true`;
    throw new HeddleError('turn_running', message, { facts: { state } });
  }
  await store.forget(id);
  await runner.close(id);
  const launch = { config, cwd: workspace.path };
  const transcripts = await engine.storeOf(launch);
  const key = { project: workspace.path, sessionId: id };
  if (!(await transcripts.exists(key))) return;
  const path = engine.hasOwnStore ? transcripts.locate?.(key) : undefined;
  const { clock } = engine.runtime;
  if (path === undefined) await transcripts.remove?.(key);
  else await deleteSession({ sessionId: id, path }, { home: engine.homeOf(launch), now: () => clock.now() });
}
