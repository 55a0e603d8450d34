import { sessionFiles } from '../../sessions/files/session-files.ts';
import { seenLeases } from '../../sessions/stores/list-leases.ts';
import { isGone } from '../../util/process/process-identity.ts';
import { listTasks } from '../tasks.ts';
import type { Check, DoctorContext } from './check.ts';

/** Checks the stored data: sessions, the leases of those in use, and background tasks. */
export async function gatherSessions({ home }: DoctorContext): Promise<Check[]> {
  if (home === null) return [];
  return [sessionsCheck(home), leasesCheck(home), tasksCheck(home)];
}

function sessionsCheck(home: string): Check {
  const files = sessionFiles(home);
  const [newest] = files;
  if (!newest) return { id: 'sessions', status: 'ok', summary: 'none yet', facts: { count: 0 } };
  const at = new Date(newest.lastModified).toISOString();
  const summary = `${files.length} stored, the newest ${newest.sessionId} of ${at}`;
  const facts = { count: files.length, newest: newest.sessionId, lastModified: at };
  return { id: 'sessions', status: 'ok', summary, next: 'heddle sessions list --all', facts };
}

/** The next process that wants an abandoned lease takes it over: nothing needs to be done. */
function leasesCheck(home: string): Check {
  const leases = seenLeases(home);
  const left = leases.filter((lease) => lease.isLeft).length;
  const held = leases.length - left;
  const summary = `${held} in use${left > 0 ? `, ${left} left by processes that are gone (the next run takes over)` : ''}`;
  const holders = leases.map(({ sessionId, isLeft, record: { pid, host } }) => ({ sessionId, pid, host, isLeft }));
  return { id: 'leases', status: 'ok', summary, facts: { held, left, holders } };
}

function tasksCheck(home: string): Check {
  const tasks = listTasks({ home });
  const running = tasks.filter(({ state }) => state === 'running');
  const left = running.filter(({ detached, owner }) => !detached && isGone(owner) === true);
  const lost = tasks.filter(({ state }) => state === 'lost').length;
  const facts = { running: running.map(({ task_id }) => task_id), left: left.map(({ task_id }) => task_id), lost };
  if (left.length > 0) {
    const ids = facts.left.join(' ');
    const summary = `${left.length} still run although the process that started them is gone`;
    return { id: 'tasks', status: 'warning', summary, next: `heddle tasks stop ${ids}`, facts };
  }
  const summary = `${running.length} running in the background${lost > 0 ? `, ${lost} whose end nobody saw` : ''}`;
  const next = running.length + lost > 0 ? { next: 'heddle tasks list' } : {};
  return { id: 'tasks', status: 'ok', summary, ...next, facts };
}
