import { isAbsolute, join, resolve } from 'node:path';
import { printable } from '../../util/text/printable.ts';
import { HeddleError } from '../../wire/errors.ts';
import { type LocatedSession, sessionFiles, sessionNames } from '../files/session-files.ts';
import { createSessionFolders, fileAt } from '../files/session-folders.ts';
import { isSessionId, projectFolders, transcriptPaths } from '../files/session-paths.ts';
import { createSummariser, type SessionSummary, type Summariser, transcriptAt } from '../files/transcript-summary.ts';

export interface FindOptions {
  /** The config home. */
  home: string;
  /** A session id, the beginning of one (4 characters or more), a custom title, or the path of a `.jsonl` file. */
  name: string;
  /** The real path of a working directory: its sessions win over others that match. */
  project?: string;
  /** The base of relative paths; without it only absolute ones are tried. */
  cwd?: string;
}

/**
 * Finds a session by the name that a user gives. Files are read only when the name may be a title. Rejects with
 * `session_not_found`, which lists the places searched, or with `session_ambiguous`.
 */
export async function findSession(options: FindOptions): Promise<LocatedSession> {
  const located = isSessionId(options.name)
    ? byId(options)
    : (byPath(options) ?? byPrefix(options) ?? byTitle(options));
  if (located !== null) return located;
  throw notFound(options);
}

function byId({ home, name: sessionId, project }: FindOptions): LocatedSession | null {
  const own = project === undefined ? [] : transcriptPaths(home, { project, sessionId });
  const path = own.find((each) => fileAt(each)?.isFile);
  if (path !== undefined) return { sessionId, path };
  const folders = createSessionFolders(home);
  const elsewhere = folders.find(sessionId);
  return elsewhere && { sessionId, path: folders.locate(elsewhere) };
}

function byPath(options: FindOptions): LocatedSession | null {
  const path = pathOf(options);
  const file = path === null ? null : transcriptAt(path);
  return file && { sessionId: file.sessionId, path: file.path };
}

function pathOf({ name, cwd }: FindOptions): string | null {
  if (!name.endsWith('.jsonl') || (cwd === undefined && !isAbsolute(name))) return null;
  return resolve(cwd ?? '/', name);
}

function byPrefix(options: FindOptions): LocatedSession | null {
  const { home, name } = options;
  if (!ID_BEGINNING.test(name)) return null;
  const beginning = name.toLowerCase();
  for (const project of scopes(options)) {
    const fitting = [...sessionNames(home, project)].filter((each) => each.sessionId.startsWith(beginning));
    // A session that continued in another folder is one session, in the file written to last.
    const ids = [...new Set(fitting.map(({ sessionId }) => sessionId))];
    if (ids.length > 1)
      throw ambiguous(
        name,
        ids.flatMap((id) => summaryOf(fitting, id)),
      );
    if (ids[0] !== undefined) return byId({ ...options, name: ids[0] });
  }
  return null;
}

const ID_BEGINNING = /^[\da-f-]{4,35}$/i;

/**
 * Searches titles near the ends of the files first, because that is quick; only when none matches, files are read as
 * far back as necessary. In each round an exact match wins over one that differs in case.
 */
function byTitle(options: FindOptions): LocatedSession | null {
  const summariser = createSummariser();
  for (const depth of ['brief', 'thorough'] as const) {
    for (const project of scopes(options)) {
      const located = titled(summariseAll(options.home, project, summariser[depth]), options.name);
      if (located !== null) return located;
    }
  }
  return null;
}

function titled(sessions: readonly SessionSummary[], name: string): LocatedSession | null {
  const isSame = (title: string | undefined) => title?.toLowerCase() === name.toLowerCase();
  const exact = sessions.filter(({ customTitle }) => customTitle === name);
  const fitting = exact.length > 0 ? exact : sessions.filter(({ customTitle }) => isSame(customTitle));
  const [first, second] = fitting;
  if (first && second) throw ambiguous(name, fitting);
  return first ? { sessionId: first.sessionId, path: first.path } : null;
}

function summariseAll(home: string, project: string | undefined, read: Summariser['brief']): SessionSummary[] {
  return sessionFiles(home, project).map(read);
}

/** The caller's own project, then all. */
function scopes({ project }: FindOptions): (string | undefined)[] {
  return project === undefined ? [undefined] : [project, undefined];
}

function summaryOf(located: readonly LocatedSession[], sessionId: string): SessionSummary[] {
  const { path } = located.find((each) => each.sessionId === sessionId) ?? {};
  const file = path === undefined ? null : transcriptAt(path);
  return file ? [createSummariser().brief(file)] : [];
}

/** For an id, hosts match this text. */
function notFound(options: FindOptions): HeddleError {
  const { home, name, project } = options;
  const own = project === undefined ? [] : projectFolders(home, project);
  const looked = [...own, join(home, 'projects'), pathOf(options)].filter((place) => place !== null);
  const what = isSessionId(name) ? `No conversation found with session ID: ${name}` : untitled(name);
  const message = `${what} (looked in ${looked.join(', ')}). heddle sessions list --all shows those there are`;
  return new HeddleError('session_not_found', message, { facts: { looked } });
}

/** An id prefix that is too short was not searched. */
function untitled(name: string): string {
  const begins = SHORT_BEGINNING.test(name)
    ? '; to begin an id it needs 4 characters or more'
    : ', or an id that begins so';
  return `No session has the title '${printable(name)}'${begins}`;
}

const SHORT_BEGINNING = /^[\da-f-]{1,3}$/i;

function ambiguous(name: string, sessions: readonly SessionSummary[]): HeddleError {
  const lines = sessions
    .slice(0, SHOWN_SESSIONS)
    .map(({ sessionId, summary, cwd }) => `  ${sessionId}  ${printable([summary, cwd].filter(Boolean).join('  '))}`);
  if (sessions.length > lines.length) lines.push('  …');
  return new HeddleError(
    'session_ambiguous',
    `'${printable(name)}' may be one of ${sessions.length} sessions:\n${lines.join('\n')}`,
    {
      facts: { sessions: sessions.map(({ sessionId, path, summary }) => ({ sessionId, path, summary })) },
    },
  );
}

/** A longer list would not help; the error's facts contain all. */
const SHOWN_SESSIONS = 20;
