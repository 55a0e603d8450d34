import { seenLeases } from '../../sessions/stores/list-leases.ts';
import { homeOf } from '../subprocess/session-location.ts';

/** A session that a process holds now. */
export interface RunningSession {
  sessionId: string;
  pid: number;
  host: string;
}

/** The sessions of a config home that a living process holds. */
export function runningSessions(options: { home?: string } = {}): RunningSession[] {
  return seenLeases(homeOf(options)).flatMap(({ sessionId, record, isLeft }) =>
    isLeft ? [] : [{ sessionId, pid: record.pid, host: record.host }],
  );
}
