import { isAbsolute, join, resolve } from 'node:path';
import { printable } from '../util/printable.ts';
import { HeddleError } from '../wire/errors.ts';
import { isSessionId, projectFolders, transcriptPaths } from './layout.ts';
import { type FoundSession, sessionFiles, sessionNames } from './session-files.ts';
import { createSessionPlaces, fileAt } from './session-places.ts';
import { createSummariser, type SessionSummary, type Summariser, transcriptAt } from './transcript-summary.ts';

export interface FindOptions {
  /** The config home. */
  home: string;
  /** A session id, the beginning of one (4 characters or more), a custom title, or the path of a `.jsonl` file. */
  name: string;
  /** The real path of a working directory: of several sessions that fit, its own count first. */
  project?: string;
  /** What relative paths are relative to; without it only absolute ones are looked at. */
  cwd?: string;
}

/**
 * Finds a session by what people call it. Files are read only when it may be a title. Rejects with `session_not_found`,
 * which says where it was looked for, or with `session_ambiguous`.
 */
export async function findSession(options: FindOptions): Promise<FoundSession> {
  const found = isSessionId(options.name) ? byId(options) : (byPath(options) ?? byPrefix(options) ?? byTitle(options));
  if (found !== null) return found;
  throw notFound(options);
}

function byId({ home, name: sessionId, project }: FindOptions): FoundSession | null {
  const own = project === undefined ? [] : transcriptPaths(home, { project, sessionId });
  const path = own.find((each) => fileAt(each)?.isFile);
  if (path !== undefined) return { sessionId, path };
  const places = createSessionPlaces(home);
  const elsewhere = places.find(sessionId);
  return elsewhere && { sessionId, path: places.locate(elsewhere) };
}

function byPath(options: FindOptions): FoundSession | null {
  const path = pathOf(options);
  const file = path === null ? null : transcriptAt(path);
  return file && { sessionId: file.sessionId, path: file.path };
}

function pathOf({ name, cwd }: FindOptions): string | null {
  if (!name.endsWith('.jsonl') || (cwd === undefined && !isAbsolute(name))) return null;
  return resolve(cwd ?? '/', name);
}

function byPrefix(options: FindOptions): FoundSession | null {
  const { home, name } = options;
  if (!ID_BEGINNING.test(name)) return null;
  const beginning = name.toLowerCase();
  for (const project of scopes(options)) {
    const fitting = [...sessionNames(home, project)].filter((each) => each.sessionId.startsWith(beginning));
    // A session that went on in another folder is one session, in the file written to last.
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
 * Titles near the ends of the files first, because that is quick; only when there is none of that name, files are read
 * as far back as need be. In each round the title as it is written counts before one that differs in case.
 */
function byTitle(options: FindOptions): FoundSession | null {
  const summariser = createSummariser();
  for (const depth of ['brief', 'thorough'] as const) {
    for (const project of scopes(options)) {
      const found = titled(summariseAll(options.home, project, summariser[depth]), options.name);
      if (found !== null) return found;
    }
  }
  return null;
}

function titled(sessions: readonly SessionSummary[], name: string): FoundSession | null {
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

/** The own project, then all. */
function scopes({ project }: FindOptions): (string | undefined)[] {
  return project === undefined ? [undefined] : [project, undefined];
}

function summaryOf(found: readonly FoundSession[], sessionId: string): SessionSummary[] {
  const { path } = found.find((each) => each.sessionId === sessionId) ?? {};
  const file = path === undefined ? null : transcriptAt(path);
  return file ? [createSummariser().brief(file)] : [];
}

/** For an id, the text is one that hosts match (ruling P5). */
function notFound(options: FindOptions): HeddleError {
  const { home, name, project } = options;
  const own = project === undefined ? [] : projectFolders(home, project);
  const looked = [...own, join(home, 'projects'), pathOf(options)].filter((place) => place !== null);
  const what = isSessionId(name) ? `No conversation found with session ID: ${name}` : untitled(name);
  const message = `${what} (looked in ${looked.join(', ')}). heddle sessions list --all shows those there are`;
  return new HeddleError('session_not_found', message, { facts: { looked } });
}

/** The beginning of an id that is too short was not looked for. */
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

/** More would be no help to anybody; all are among the facts. */
const SHOWN_SESSIONS = 20;
