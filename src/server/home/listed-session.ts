import { type RunningSession, runningSessions } from '../../admin/running/running-sessions.ts';
import type { SessionSummary } from '../../sessions/files/transcript-summary.ts';
import { thisProcess } from '../../util/process/process-alive.ts';
import type { ListedSession } from './shapes.ts';

/** The processes that write to sessions of the home now, by session. */
export function holdersOf(home: string): ReadonlyMap<string, RunningSession> {
  return new Map(runningSessions(home).map((running) => [running.sessionId, running]));
}

export function shownHolder(running: RunningSession | undefined): ListedSession['holder'] {
  if (!running) return null;
  const { pid, host, record } = running;
  return { pid, host, state: record?.state ?? null, here: pid === thisProcess().pid };
}

export function listedSession(summary: SessionSummary, holders: ReadonlyMap<string, RunningSession>): ListedSession {
  const { sessionId, summary: title, firstPrompt, tag, cwd, gitBranch, lastModified, fileSize, archived } = summary;
  return {
    ...{ id: sessionId, title: title === '' ? sessionId : title, first_prompt: firstPrompt ?? null, tag: tag || null },
    ...{ cwd: cwd ?? null, branch: gitBranch || null, changed_at: lastModified, bytes: fileSize },
    archived: archived === true,
    holder: shownHolder(holders.get(sessionId)),
  };
}

/** Whether a session fits a text that a user types into the filter of a list: every word occurs. */
export function fitsFilter(summary: SessionSummary, query: string): boolean {
  const { sessionId, summary: title, firstPrompt, tag, cwd } = summary;
  const text = [sessionId, title, firstPrompt, tag, cwd].join('\n').toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
