import { hostname } from 'node:os';
import { ATTACH_VERSION, type RunRecord, type RunState, readRunRecord } from '../../sessions/running/run-record.ts';
import { seenLeases } from '../../sessions/stores/list-leases.ts';

/** A session that a process runs now. */
export interface RunningSession {
  sessionId: string;
  pid: number;
  host: string;
  /** ISO 8601. */
  since: string;
  /** `running`: its process does not tell more. */
  state: RunState | 'running';
  /** Null where its process does not tell. */
  record: RunRecord | null;
  /** Whether the process runs on this machine. */
  isHere: boolean;
}

/** The sessions of a config home that processes run now, the newest first. Reads only. */
export function runningSessions(home: string): RunningSession[] {
  return seenLeases(home)
    .filter(({ isLeft }) => !isLeft)
    .map(({ sessionId, record: { pid, host, since } }): RunningSession => {
      const isHere = host === hostname();
      const found = readRunRecord(home, sessionId);
      const record = found?.pid === pid ? found : null; // else left by an earlier process
      return { sessionId, pid, host, since, state: record?.state ?? 'running', record, isHere };
    })
    .sort((a, b) => b.since.localeCompare(a.since));
}

/** Why a running session cannot be joined from here, as a sentence; null: it can. */
export function whyNotJoined({ sessionId, pid, host, record, isHere }: RunningSession): string | null {
  const short = sessionId.slice(0, 8);
  if (!isHere) return `It runs on ${host}: heddle attach ${host}:${short} joins it there`;
  if (record === null) {
    return `Process ${pid} has it, a program that lets nobody in: heddle attach --watch ${short} shows what it writes`;
  }
  if (record.attach_version === ATTACH_VERSION) return null;
  return (
    `It runs version ${record.heddle_version} of Heddle, which talks to its terminals in another way. ` +
    `Nothing is lost: heddle attach --watch ${short} shows it, and it ends as it would have`
  );
}
