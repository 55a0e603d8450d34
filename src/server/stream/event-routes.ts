import * as z from 'zod/mini';
import { startTimer } from '../../util/timer.ts';
import { HeddleError } from '../../wire/errors.ts';
import { type Call, type Route, route, tokenOf } from '../http/route.ts';
import type { EventLog, NumberedLine } from '../ports/event-log.ts';
import type { SessionRecords } from '../ports/session-records.ts';
import { Limit, SessionParams } from '../routes/schemas.ts';
import { sessionOf } from '../routes/session-routes.ts';
import type { OpenStreams } from './open-streams.ts';
import { streamEvents } from './server-sent-events.ts';

export interface EventRoutesOptions {
  sessions: SessionRecords;
  events: EventLog;
  streams: OpenStreams;
}

const Seq = z.coerce.number().check(z.int(), z.minimum(0));
const Query = z.object({
  after: z.optional(Seq),
  limit: z._default(Limit, 200),
  wait: z._default(z.coerce.number().check(z.minimum(0), z.maximum(60)), 0),
});
const Page = z.object({ lines: z.array(z.unknown()), newest_seq: z.number(), oldest_seq: z.number() });

/** The lines of a session: in pages, or as a stream of events. */
export function eventRoutes({ sessions, events, streams }: EventRoutesOptions): Route[] {
  return [
    route({
      ...{
        method: 'GET',
        path: '/v1/sessions/{id}/events',
        scope: 'sessions:read',
        params: SessionParams,
        query: Query,
      },
      summary: 'Lines behind a number. With `wait`, waits so many seconds for the first one',
      answers: { 200: { description: 'The lines, with their numbers as `seq`', schema: Page } },
      errors: ['session_not_found', 'cursor_gone', 'cursor_unknown'],
      async handle({ params, query, signal, ...call }) {
        const { id } = await sessionOf(sessions, tokenOf(call), params.id);
        const { oldest } = await events.bounds(id);
        const { after = oldest - 1, limit, wait } = query;
        let lines = await events.read(id, { after, limit });
        if (lines.length === 0 && wait > 0) {
          await nextLine(id, events, { ms: wait * 1000, signal });
          lines = await events.read(id, { after, limit });
        }
        const bounds = await events.bounds(id);
        const text =
          `{"lines":[${lines.map((line) => line.text).join(',')}],` +
          `"newest_seq":${bounds.newest},"oldest_seq":${bounds.oldest}}`;
        return { text, type: 'application/json; charset=utf-8' };
      },
    }),
    route({
      ...{ method: 'GET', path: '/v1/sessions/{id}/events/stream', scope: 'sessions:read', params: SessionParams },
      query: z.object({
        after: z.optional(Seq),
        deltas: z._default(z.stringbool(), false),
        types: z.optional(z.string()),
      }),
      summary:
        'The lines as server-sent events, from now on, or behind `after` or the header last-event-id. `deltas` adds pieces ' +
        'of answers while they are written; `types` names the types of lines, with commas',
      answers: { 200: { description: 'A stream that does not end', type: 'text/event-stream' } },
      errors: ['session_not_found', 'cursor_gone', 'cursor_unknown', 'quota_exceeded', 'draining'],
      async handle({ params, query, headers, ...call }) {
        const token = tokenOf(call);
        const { id } = await sessionOf(sessions, token, params.id);
        const after = await cursorOf(id, { given: headers['last-event-id'], after: query.after }, events);
        const hello = { state: await sessions.state(id), ...(await events.bounds(id)) };
        const types = query.types === undefined ? null : new Set(query.types.split(','));
        const slot = streams.take(token.id);
        return {
          stream: (_request, response) =>
            streamEvents(response, { events, sessionId: id, after, hello, types, isWithDeltas: query.deltas, slot }),
        };
      },
    }),
  ];
}

/** Where a stream begins. Rejects with `cursor_unknown` and `cursor_gone`. */
export async function cursorOf(
  sessionId: string,
  { given, after }: { given: string | undefined; after: number | undefined },
  events: EventLog,
): Promise<number> {
  if (given !== undefined && !/^\d{1,15}$/.test(given)) {
    throw new HeddleError('cursor_unknown', `last-event-id is the number of a line, not '${given.slice(0, 40)}'`);
  }
  const cursor = given === undefined ? after : Number(given);
  if (cursor === undefined) return (await events.bounds(sessionId)).newest;
  await events.read(sessionId, { after: cursor, limit: 1 });
  return cursor;
}

function nextLine(id: string, events: EventLog, { ms, signal }: { ms: number } & Pick<Call, 'signal'>): Promise<void> {
  return new Promise((resolve) => {
    const done = (_lines?: readonly NumberedLine[]) => {
      clearTimeout(timer);
      stop();
      resolve();
    };
    const timer = startTimer(ms, () => done());
    const stop = events.subscribe(id, { onLines: done });
    signal.addEventListener('abort', () => done(), { once: true });
  });
}
