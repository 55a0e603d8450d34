import * as z from 'zod/mini';
import { checkScope } from '../http/gatekeeper.ts';
import { type Route, route, tokenOf } from '../http/route.ts';
import { scopeOfControl } from '../policy/control-filter.ts';
import type { LaunchPolicy } from '../policy/launch-policy.ts';
import type { SessionRecords } from '../ports/session-records.ts';
import { type AskOptions, askSession } from './ask-session.ts';
import { SessionParams } from './schemas.ts';
import { sessionOf } from './session-routes.ts';

export interface ControlRoutesOptions extends AskOptions {
  sessions: SessionRecords;
  policy: LaunchPolicy;
}

/** Any control request that clients may send, over plain HTTP. */
export function controlRoutes(options: ControlRoutesOptions): Route[] {
  const { sessions, policy } = options;
  return [
    route({
      ...{ method: 'POST', path: '/v1/sessions/{id}/control', scope: 'sessions:read', params: SessionParams },
      body: z.looseObject({ subtype: z.string() }),
      summary: 'Sends the session a control request of docs/wire.md, and answers with its response',
      answers: { 200: { description: 'The response', schema: z.record(z.string(), z.unknown()) } },
      errors: ['session_not_found', 'not_permitted', 'control_error', 'not_answered'],
      async handle({ params, body, ...call }) {
        const token = tokenOf(call);
        const { id } = await sessionOf(sessions, token, params.id);
        checkScope(token, scopeOfControl(body, policy), id);
        return { body: await askSession(id, body, options) };
      },
    }),
  ];
}
