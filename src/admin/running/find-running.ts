import { printable } from '../../util/text/printable.ts';
import { HeddleError } from '../../wire/errors.ts';
import { findStored, type SessionsLocation } from '../sessions.ts';
import { cannotAttach } from './join-session.ts';
import { type RunningSession, runningSessions } from './running-sessions.ts';

/**
 * The running session that a name means: an id, the beginning of one, a title. Without a name the only one that can be
 * joined. Rejects with what to type instead.
 */
export async function findRunning(name: string | undefined, location: SessionsLocation): Promise<RunningSession> {
  const running = runningSessions(location.home);
  if (name === undefined) return onlyOne(running);
  const byId = running.filter(({ sessionId }) => sessionId === name || sessionId.startsWith(name));
  if (byId.length > 1) {
    const message = `Several running sessions begin with ${printable(name)}:\n${list(byId)}`;
    throw new HeddleError('session_ambiguous', message);
  }
  if (byId[0]) return byId[0];
  const { sessionId } = await findStored(name, location);
  const found = running.find((each) => each.sessionId === sessionId);
  if (found) return found;
  const short = sessionId.slice(0, 8);
  throw cannotAttach(
    sessionId,
    `No process runs it: heddle -r ${short} continues it, heddle attach --watch ${short} waits for one`,
  );
}

function onlyOne(running: readonly RunningSession[]): RunningSession {
  const joinable = running.filter(({ record }) => record !== null);
  const [only] = joinable;
  if (only && joinable.length === 1) return only;
  if (only) throw new HeddleError('session_ambiguous', `Several sessions run. Type one of these:\n${list(joinable)}`);
  const others = running.length === 0 ? '' : ` Other programs run ${running.length}: heddle sessions list --running`;
  throw new HeddleError('session_not_found', `No session runs that can be joined.${others}`);
}

function list(running: readonly RunningSession[]): string {
  return running
    .map(({ sessionId, state, record }) => {
      const where = record ? `  ${printable(record.cwd)}` : '';
      return `  heddle attach ${sessionId.slice(0, 8)}   ${state}${where}`;
    })
    .join('\n');
}
