import { archivedNow } from './archive-mark.ts';
import { pageOf } from './page.ts';
import { sessionFiles } from './session-files.ts';
import { createSummariser, type SessionFile, type SessionSummary } from './transcript-summary.ts';

export { findSession } from './find-session.ts';
export type { FoundSession } from './session-files.ts';
export { type SessionSummary, sessionSummary } from './transcript-summary.ts';

export interface ListOptions {
  /** The config home. */
  home: string;
  /** The real path of a working directory, or of several; without it, the sessions of all projects. */
  project?: string | readonly string[];
  limit?: number;
  offset?: number;
  /** Leaves out what is archived. */
  hideArchived?: boolean;
}

/**
 * Sessions, newest first [SES-34]. All are looked at with a stat, and of those on the page the two ends are read
 * [SES-36]. What cannot be read is listed with an empty summary.
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
