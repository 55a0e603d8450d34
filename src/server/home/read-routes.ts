import * as z from 'zod/mini';
import { searchSessions } from '../../admin/search-sessions.ts';
import type { Env } from '../../host/engine/environment.ts';
import { listSubagents } from '../../sessions/stored/messages.ts';
import type { Logger } from '../../util/runtime.ts';
import { within } from '../../util/timer.ts';
import { HeddleError } from '../../wire/errors.ts';
import { type Route, route } from '../http/route.ts';
import { agentsOf } from './agents-of.ts';
import { blobAnswer } from './blob-answer.ts';
import { entriesAnswer, tailOf } from './entry-pages.ts';
import type { HomeSessions } from './home-sessions.ts';
import { fitsFilter, holdersOf, listedSession, shownHolder } from './listed-session.ts';
import {
  BlobQuery,
  EntriesQuery,
  HomeAgent,
  HomeSession,
  ListedSession,
  ListQuery,
  RowsQuery,
  SearchQuery,
} from './shapes.ts';

export interface ReadRoutesOptions {
  sessions: HomeSessions;
  env: Env;
  log: Logger;
}

/** A request for rows is answered at the latest after this time, with how far the file was read. */
const PATIENCE_MS = 700;

const READ = { method: 'GET', scope: 'home:read' } as const;
const Anything = z.record(z.string(), z.unknown());

/** Reading the sessions of the home, of all programs. Nothing here changes anything. */
export function readRoutes(options: ReadRoutesOptions): Route[] {
  return [...listRoutes(options), ...sessionReadRoutes(options), ...agentRoutes(options)];
}

function listRoutes({ sessions, env, log }: ReadRoutesOptions): Route[] {
  const { home } = sessions;
  return [
    route({
      ...{ ...READ, path: '/v1/home/projects', errors: [] },
      summary: 'The directories in which sessions of the home were started',
      answers: { 200: { description: 'With the number of their sessions', schema: Anything } },
      async handle() {
        const projects = new Map<string, { cwd: string; sessions: number; changed_at: number }>();
        for (const { cwd, lastModified, archived } of sessions.list()) {
          if (cwd === undefined || archived) continue;
          const known = projects.get(cwd) ?? { cwd, sessions: 0, changed_at: lastModified };
          projects.set(cwd, { ...known, sessions: known.sessions + 1 });
        }
        return { body: { projects: [...projects.values()] } };
      },
    }),
    route({
      ...{ ...READ, path: '/v1/home/sessions', query: ListQuery, errors: [] },
      summary: 'The sessions of the home, newest first',
      answers: { 200: { description: 'Sessions, and how many fit', schema: ListPage } },
      async handle({ query: { q, project, archived, limit, from } }) {
        const fitting = sessions
          .list()
          .filter((each) => (each.archived === true) === archived || archived)
          .filter((each) => (project === undefined || each.cwd === project) && (!q || fitsFilter(each, q)));
        const holders = holdersOf(home);
        const page = fitting.slice(from, from + limit).map((each) => listedSession(each, holders));
        return { body: { sessions: page, total: fitting.length } };
      },
    }),
    route({
      ...{ ...READ, path: '/v1/home/sessions/{id}/figures', params: HomeSession, errors: ['session_not_found'] },
      summary: 'Turns and cost of a session',
      answers: { 200: { description: 'Null where the file is too large for it', schema: Anything } },
      handle: async ({ params }) => ({ body: { figures: sessions.figures(params.id) } }),
    }),
    route({
      ...{ ...READ, path: '/v1/home/search', query: SearchQuery, errors: ['invalid_option'] },
      summary: 'Searches the texts of all sessions',
      answers: { 200: { description: 'Hits, the session that was written last first', schema: Anything } },
      async handle({ query: { q, regex, limit }, signal }) {
        return { body: await searchSessions({ home, query: q, isPattern: regex, limit, env, log, signal }) };
      },
    }),
  ];
}

const ListPage = z.object({ sessions: z.array(ListedSession), total: z.number() });

function sessionReadRoutes({ sessions, env, log }: ReadRoutesOptions): Route[] {
  return [
    route({
      ...{ ...READ, path: '/v1/home/sessions/{id}', params: HomeSession, errors: ['session_not_found'] },
      summary: 'A session: its names, its file, and the process that writes to it',
      answers: { 200: { description: 'The session', schema: ListedSession } },
      async handle({ params: { id } }) {
        const found = await sessions.find(id);
        const listed = sessions.list().find(({ sessionId }) => sessionId === found.sessionId);
        if (!listed) throw new HeddleError('session_not_found', `There is no session ${id}`, { facts: { id } });
        return { body: { ...listedSession(listed, holdersOf(sessions.home)), path: found.path } };
      },
    }),
    route({
      ...{ ...READ, path: '/v1/home/sessions/{id}/tail', params: HomeSession, errors: ['session_not_found'] },
      summary: 'The last entries of the file, without reading the rest',
      answers: { 200: { description: 'Entries in their order', schema: Anything } },
      handle: async ({ params: { id } }) => ({ body: { entries: tailOf((await sessions.find(id)).path) } }),
    }),
    route({
      ...{ ...READ, path: '/v1/home/sessions/{id}/agents', params: HomeSession, errors: ['session_not_found'] },
      summary: 'The agents that worked for a session',
      answers: { 200: { description: 'With the calls that started them', schema: Anything } },
      async handle({ params: { id } }) {
        const { path } = await sessions.find(id);
        return { body: { agents: agentsOf(path) } };
      },
    }),
    route({
      ...{ ...READ, path: '/v1/home/sessions/{id}/holder', params: HomeSession, errors: [] },
      summary: 'The process that writes to a session; null: none does',
      answers: { 200: { description: 'Who it is', schema: Anything } },
      handle: async ({ params: { id } }) => ({ body: { holder: shownHolder(holdersOf(sessions.home).get(id)) } }),
    }),
    route({
      ...{ ...READ, path: '/v1/home/sessions/{id}/search', params: HomeSession, query: SearchQuery },
      summary: 'Searches the texts of a session and its agents',
      answers: { 200: { description: 'Hits', schema: Anything } },
      errors: ['session_not_found', 'invalid_option'],
      async handle({ params: { id }, query: { q, regex, limit }, signal }) {
        const { path } = await sessions.find(id);
        const files = [path, ...(listSubagents(path).length > 0 ? [path.replace(/\.jsonl$/, '')] : [])];
        const what = { home: sessions.home, files, query: q, isPattern: regex, limit };
        return { body: await searchSessions({ ...what, env, log, signal }) };
      },
    }),
  ];
}

/** What a session and each of its agents have: rows, entries, whole texts. */
function agentRoutes({ sessions }: ReadRoutesOptions): Route[] {
  const below = [
    { path: '/v1/home/sessions/{id}', params: HomeSession, of: 'a session' },
    { path: '/v1/home/sessions/{id}/agents/{agent}', params: HomeAgent, of: 'an agent of a session' },
  ];
  return below.flatMap(({ path, params, of }) => {
    const open = (given: unknown) => {
      const { id, agent } = given as { id: string; agent?: string };
      return sessions.open(id, agent);
    };
    return [
      route({
        ...{ ...READ, path: `${path}/rows`, params, query: RowsQuery },
        summary: `Each entry of ${of} in short, as far as it is new to who asks`,
        answers: { 200: { description: 'Rows, and the version to ask with the next time', schema: Anything } },
        errors: ['session_not_found', 'session_unreadable'],
        async handle({ params: given, query: { since, life } }) {
          const book = await open(given);
          const looked = book.look().then(() => true);
          if ((await within(PATIENCE_MS, looked)) === null && book.version === 0) {
            looked.catch(() => {}); // who asks next gets the error
            return { body: { ...book.head(), progress: book.index.progress, rows: [] } };
          }
          return { text: book.textSince(since, life), type: 'application/json; charset=utf-8' };
        },
      }),
      route({
        ...{ ...READ, path: `${path}/entries`, params, query: EntriesQuery },
        summary: `Entries of ${of} with long texts cut; \`next\` is the first row that did not fit`,
        answers: { 200: { description: 'Entries', schema: Anything } },
        errors: ['session_not_found', 'session_unreadable'],
        async handle({ params: given, query: { rows } }) {
          const book = await open(given);
          await book.look();
          return { body: await entriesAnswer(book, rows) };
        },
      }),
      route({
        ...{ ...READ, path: `${path}/rows/{row}/blob`, query: BlobQuery },
        params: z.extend(params as typeof HomeSession, { row: z.coerce.number().check(z.int(), z.minimum(0)) }),
        summary: `One whole text of an entry of ${of}, or an image`,
        answers: { 200: { description: 'Its bytes', type: 'application/octet-stream' } },
        errors: ['session_not_found', 'not_found', 'session_unreadable'],
        async handle({ params: given, query }) {
          const book = await open(given);
          await book.look();
          return blobAnswer(book, given.row, query.path);
        },
      }),
    ];
  });
}
