import * as z from 'zod/mini';
import { HeddleError } from '../../wire/errors.ts';
import { type Route, route, tokenOf } from '../http/route.ts';
import type { SessionRecords } from '../ports/session-records.ts';
import { SessionParams } from '../routes/schemas.ts';
import { sessionOf } from '../routes/session-routes.ts';
import type { Tickets } from './tickets.ts';

/** The rows of WebSockets: tickets for them, and what plain HTTP gets at their address. */
export function socketRoutes({ sessions, tickets }: { sessions: SessionRecords; tickets: Tickets }): Route[] {
  return [
    route({
      ...{ method: 'POST', path: '/v1/tickets', scope: 'token', errors: [] },
      summary: 'Makes a ticket that opens one WebSocket within 30 s, for pages, which can send no header with it',
      answers: { 201: { description: 'The ticket', schema: z.object({ ticket: z.string(), seconds: z.number() }) } },
      handle: async (call) => ({ status: 201, body: tickets.make(tokenOf(call)) }),
    }),
    route({
      ...{ method: 'GET', path: '/v1/sessions/{id}/connect', scope: 'sessions:read', params: SessionParams },
      query: z.object({ after: z.optional(z.string()), deltas: z.optional(z.string()), acks: z.optional(z.string()) }),
      summary:
        'A WebSocket (subprotocol heddle.v1) with the lines of docs/wire.md, one per frame, in both directions. A page adds ' +
        'the subprotocol heddle.ticket.TICKET',
      answers: { 101: { description: 'The WebSocket' } },
      errors: ['session_not_found', 'cursor_gone', 'cursor_unknown', 'quota_exceeded', 'draining'],
      async handle({ params, ...call }) {
        await sessionOf(sessions, tokenOf(call), params.id);
        throw new HeddleError('invalid_request', 'This address is for WebSockets: ask for an upgrade', {
          facts: { status: 426 },
        });
      },
    }),
  ];
}
