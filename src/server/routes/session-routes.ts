import * as z from 'zod/mini';
import { HeddleError } from '../../wire/errors.ts';
import { checkScope, noSession } from '../http/gatekeeper.ts';
import { type Route, route, tokenOf } from '../http/route.ts';
import { filterLaunch } from '../policy/launch-filter.ts';
import type { LaunchPolicy } from '../policy/launch-policy.ts';
import { sessionDirectory } from '../policy/session-directory.ts';
import type { Questions } from '../ports/asked-questions.ts';
import type { EventLog } from '../ports/event-log.ts';
import type { SessionRecord, SessionRecords } from '../ports/session-records.ts';
import type { TokenInfo } from '../ports/tokens.ts';
import { NewMessage, type PostOptions } from './post-message.ts';
import { Limit, Session, SessionId, SessionParams, timeText } from './schemas.ts';

export interface SessionRoutesOptions {
  sessions: SessionRecords;
  events: Pick<EventLog, 'bounds'>;
  questions: Pick<Questions, 'list'>;
  policy: LaunchPolicy;
  now: () => number;
  newId: () => string;
  /** The store of the transcripts of a session. */
  transcriptsOf: PostOptions['transcriptsOf'];
  /** Posts the first messages of a new session, one after the other. */
  post: (record: SessionRecord, messages: readonly NewMessage[], by: string) => Promise<unknown>;
  /** Moves the session to the trash, or refuses. */
  remove: (record: SessionRecord, options: { force: boolean }) => Promise<void>;
}

const NewSession = z.strictObject({
  id: z.optional(SessionId),
  workspace: z.optional(z.strictObject({ kind: z.literal('directory'), path: z.optional(z.string()) })),
  config: z.optional(z.record(z.string(), z.unknown())),
  title: z.optional(z.string().check(z.maxLength(200))),
  tag: z.optional(z.string().check(z.maxLength(100))),
  messages: z.optional(z.array(NewMessage).check(z.maxLength(100))),
});

const Changes = z.strictObject({
  title: z.optional(z.nullable(z.string().check(z.maxLength(200)))),
  tag: z.optional(z.nullable(z.string().check(z.maxLength(100)))),
  archived: z.optional(z.boolean()),
  config: z.optional(z.record(z.string(), z.unknown())),
});

const ListQuery = z.object({
  tag: z.optional(z.string()),
  q: z.optional(z.string()),
  archived: z.optional(z.stringbool()),
  limit: z._default(Limit, 50),
  cursor: z.optional(z.string().check(z.regex(/^\d+_[\w-]+$/))),
});

/** Sessions: made, listed, read, changed, removed. */
export function sessionRoutes(options: SessionRoutesOptions): Route[] {
  const { sessions, policy, now, newId } = options;
  const shown = (record: SessionRecord) => shownSession(record, options);
  return [
    route({
      ...{ method: 'POST', path: '/v1/sessions', scope: 'sessions:write', body: NewSession, isBodyOptional: true },
      summary: 'Makes a session, with its first messages if there are some',
      answers: { 201: { description: 'The session', schema: Session } },
      errors: ['not_permitted', 'session_exists', 'queue_full', 'uuid_conflict'],
      async handle({ body = {}, ...call }) {
        const token = tokenOf(call);
        if (token.sessionId !== null) throw onlyOneSession();
        const { id = newId(), workspace, config = {}, title = null, tag = null, messages = [] } = body;
        const record: SessionRecord = {
          ...{ id, tenant: token.tenant, title, tag, isArchived: false, createdAt: now(), changedAt: now() },
          workspace: { kind: 'directory', path: sessionDirectory(workspace?.path, policy) },
          ...{ config: filterLaunch(config, policy), initialize: null },
        };
        await checkEarlier(record, token, options);
        await sessions.create(record);
        await options.post(record, messages, token.id);
        return { status: 201, headers: { location: `/v1/sessions/${id}` }, body: await shown(record) };
      },
    }),
    route({
      ...{ method: 'GET', path: '/v1/sessions', scope: 'sessions:read', query: ListQuery, errors: [] },
      summary: 'The sessions, newest first',
      answers: { 200: { description: 'A page of sessions', schema: Page } },
      async handle({ query: { tag, q, archived, limit, cursor }, ...call }) {
        const { tenant, sessionId } = tokenOf(call);
        const given = {
          ...(tag !== undefined && { tag }),
          ...(q !== undefined && { query: q }),
          ...(archived !== undefined && { isArchived: archived }),
          ...(cursor !== undefined && { cursor }),
        };
        const page = await sessions.list({ tenant, limit, ...given });
        const own = page.records.filter(({ id }) => sessionId === null || id === sessionId);
        return { body: { sessions: await Promise.all(own.map(shown)), cursor: page.cursor } };
      },
    }),
    route({
      ...{ method: 'GET', path: '/v1/sessions/{id}', scope: 'sessions:read', params: SessionParams },
      summary: 'A session, its open questions, and the number behind which to stream',
      answers: { 200: { description: 'The session', schema: z.extend(Session, { questions: z.number() }) } },
      errors: ['session_not_found'],
      async handle({ params, ...call }) {
        const record = await sessionOf(sessions, tokenOf(call), params.id);
        const open = await options.questions.list({ sessionId: record.id, state: 'open' });
        return { body: { ...(await shown(record)), questions: open.length } };
      },
    }),
    route({
      ...{ method: 'PATCH', path: '/v1/sessions/{id}', scope: 'sessions:write', params: SessionParams, body: Changes },
      summary: 'Changes title, tag, whether it is archived, or the configuration of its next run',
      answers: { 200: { description: 'The session', schema: Session } },
      errors: ['session_not_found', 'not_permitted'],
      async handle({ params, body: { archived, config, ...fields }, ...call }) {
        const record = await sessionOf(sessions, tokenOf(call), params.id);
        const changed = await sessions.change(record.id, {
          ...fields,
          ...(archived !== undefined && { isArchived: archived }),
          ...(config && { config: { ...record.config, ...filterLaunch(config, policy) } }),
        });
        return { body: await shown(changed ?? record) };
      },
    }),
    route({
      ...{ method: 'DELETE', path: '/v1/sessions/{id}', scope: 'sessions:write', params: SessionParams },
      query: z.object({ force: z._default(z.stringbool(), false) }),
      summary: 'Moves a session to the trash. One that is at work only with `force`',
      answers: { 202: { description: 'It is in the trash' } },
      errors: ['session_not_found', 'turn_running'],
      async handle({ params, query, ...call }) {
        await options.remove(await sessionOf(sessions, tokenOf(call), params.id), query);
        return { status: 202, body: {} };
      },
    }),
  ];
}

const Page = z.object({ sessions: z.array(Session), cursor: z.nullable(z.string()) });

/** A session that the token may see. Rejects with `session_not_found`. */
export async function sessionOf(
  sessions: Pick<SessionRecords, 'get'>,
  { tenant, sessionId }: TokenInfo,
  id: string,
): Promise<SessionRecord> {
  const record = sessionId === null || sessionId === id ? await sessions.get(tenant, id) : null;
  if (!record) throw noSession(id);
  return record;
}

export async function shownSession(
  record: SessionRecord,
  { sessions, events }: Pick<SessionRoutesOptions, 'sessions' | 'events'>,
): Promise<Session> {
  const { id, title, tag, isArchived, workspace, config, createdAt, changedAt } = record;
  const [state, { oldest, newest }] = await Promise.all([sessions.state(id), events.bounds(id)]);
  return {
    ...{ id, state, title, tag, archived: isArchived, workspace, config: { ...config } },
    ...{ created_at: timeText(createdAt), changed_at: timeText(changedAt) },
    ...{ newest_seq: newest, oldest_seq: oldest },
  };
}

/** A session that other programs have written is continued by those who may write to the home. Rejects with `not_permitted`. */
async function checkEarlier(
  record: SessionRecord,
  token: TokenInfo,
  { sessions, transcriptsOf }: Pick<SessionRoutesOptions, 'sessions' | 'transcriptsOf'>,
): Promise<void> {
  if (await sessions.find(record.id)) return; // said by the one who makes it
  const transcripts = await transcriptsOf(record);
  const isStored = await transcripts.exists({ project: record.workspace.path, sessionId: record.id });
  if (isStored) checkScope(token, 'home:write', record.id);
}

function onlyOneSession(): HeddleError {
  return new HeddleError('not_permitted', 'The token is for one session: use another one to make more');
}
