import { HeddleError } from '../../wire/errors.ts';
import { archivedNow } from '../files/archive-mark.ts';
import { sessionFiles } from '../files/session-files.ts';
import { createSummariser, type SessionFile, type SessionSummary } from '../files/transcript-summary.ts';

export type { LocatedSession } from '../files/session-files.ts';
export { type SessionSummary, sessionSummary } from '../files/transcript-summary.ts';
export { findSession } from './find-session.ts';

export interface ListOptions {
  /** The config home. */
  home: string;
  /** The real path of a working directory, or of several; without it, the sessions of all projects. */
  project?: string | readonly string[];
  limit?: number;
  offset?: number;
  /** Leaves out archived sessions. */
  hideArchived?: boolean;
}

/**
 * Sessions, newest first. Every file gets a stat, and only the two ends of those on the page are read. A file that
 * cannot be read is listed with an empty summary.
 */
export async function listSessions(options: ListOptions): Promise<SessionSummary[]> {
  const files = sessionFiles(options.home, options.project);
  const page = pageOf(options.hideArchived ? files.filter((file) => !isArchived(file)) : files, options);
  const summariser = createSummariser();
  return page.map((file) => summariser.brief(file));
}

function isArchived(file: SessionFile): boolean {
  return file.isMarked && archivedNow(file.path, file) === true;
}

/** `limit` items from `offset` on. */
export function pageOf<T>(items: readonly T[], { limit, offset = 0 }: { limit?: number; offset?: number }): T[] {
  for (const [name, count] of Object.entries({ limit, offset })) {
    if (count === undefined || (Number.isSafeInteger(count) && count >= 0)) continue;
    throw new HeddleError('invalid_option', `${name} must be a whole number, 0 or more, but is ${count}`);
  }
  return items.slice(offset, limit === undefined ? undefined : offset + limit);
}
