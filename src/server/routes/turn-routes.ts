import * as z from 'zod/mini';
import { HeddleError } from '../../wire/errors.ts';
import { type Route, route, tokenOf } from '../http/route.ts';
import type { SessionRecords } from '../ports/session-records.ts';
import type { TurnRecord, Turns } from '../ports/turns.ts';
import { Limit, SessionId, SessionParams, timeText } from './schemas.ts';
import { sessionOf } from './session-routes.ts';

const No = z.coerce.number().check(z.int(), z.minimum(1));

const Turn = z.object({
  no: z.number(),
  state: z.enum(['running', 'ended', 'abandoned']),
  /** How many runs have worked on it. */
  attempts: z.number(),
  started_at: z.string(),
  ended_at: z.nullable(z.string()),
  /** The messages that it answers. */
  messages: z.array(z.string()),
  /** The result line. */
  result: z.nullable(z.record(z.string(), z.unknown())),
});

/** The turns of a session. */
export function turnRoutes({ sessions, turns }: { sessions: SessionRecords; turns: Turns }): Route[] {
  return [
    route({
      ...{ method: 'GET', path: '/v1/sessions/{id}/turns', scope: 'sessions:read', params: SessionParams },
      query: z.object({ before: z.optional(No), limit: z._default(Limit, 50) }),
      summary: 'The turns of a session, the newest first',
      answers: { 200: { description: 'A page of turns', schema: z.object({ turns: z.array(Turn) }) } },
      errors: ['session_not_found'],
      async handle({ params, query: { before, limit }, ...call }) {
        const { id } = await sessionOf(sessions, tokenOf(call), params.id);
        const page = { limit, ...(before !== undefined && { before }) };
        return { body: { turns: (await turns.list(id, page)).map(shownTurn) } };
      },
    }),
    route({
      ...{ method: 'GET', path: '/v1/sessions/{id}/turns/{no}', scope: 'sessions:read' },
      params: z.object({ id: SessionId, no: No }),
      summary: 'A turn, with its result when it has ended',
      answers: { 200: { description: 'The turn', schema: Turn } },
      errors: ['session_not_found', 'not_found'],
      async handle({ params, ...call }) {
        const { id } = await sessionOf(sessions, tokenOf(call), params.id);
        const turn = await turns.get(id, params.no);
        if (turn) return { body: shownTurn(turn) };
        throw new HeddleError('not_found', `The session has no turn ${params.no}: GET its turns lists them`);
      },
    }),
  ];
}

function shownTurn({ startedAt, endedAt, ...turn }: TurnRecord): z.infer<typeof Turn> {
  return { ...turn, started_at: timeText(startedAt), ended_at: endedAt === null ? null : timeText(endedAt) };
}
