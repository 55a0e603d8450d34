import * as z from 'zod/mini';
import type { SessionStore } from '../../sessions/store.ts';
import { messagesOf } from '../../sessions/stored/messages.ts';
import type { JsonObject } from '../../util/json.ts';
import { HeddleError } from '../../wire/errors.ts';
import { type Route, route, tokenOf } from '../http/route.ts';
import type { EventLog } from '../ports/event-log.ts';
import type { Inbox } from '../ports/inbox.ts';
import type { SessionRecord } from '../ports/session-records.ts';
import type { Turns } from '../ports/turns.ts';
import { type AskOptions, askSession } from './ask-session.ts';
import { NewMessage, type PostOptions, postMessage } from './post-message.ts';
import { Limit, SessionId, SessionParams } from './schemas.ts';
import { sessionOf } from './session-routes.ts';
import { waitForAnswer } from './wait-for-answer.ts';

export interface MessageRoutesOptions extends PostOptions, AskOptions {
  engine: PostOptions['engine'];
  newId: () => string;
  inbox: Inbox;
  turns: Turns;
  events: EventLog;
}

const Accepted = z.object({ uuid: z.string(), seq: z.number(), position: z.number() });
const Answered = z.object({ uuid: z.string(), result: z.record(z.string(), z.unknown()) });

/** Messages: posted, withdrawn, read; and the interrupt. */
export function messageRoutes(options: MessageRoutesOptions): Route[] {
  const { sessions, inbox } = options;
  const path = '/v1/sessions/{id}/messages';
  return [
    route({
      ...{ method: 'POST', path, scope: 'sessions:write', params: SessionParams, body: NewMessage },
      summary:
        'Posts a message. With 202 it is stored and will be answered. The same uuid, or the same header idempotency-key, ' +
        'posts it once. With the header prefer: wait=SECONDS the answer is waited for',
      answers: {
        200: { description: 'The message was known, or its answer', schema: z.union([Accepted, Answered]) },
        202: { description: 'It is stored', schema: Accepted },
      },
      errors: ['session_not_found', 'uuid_conflict', 'too_large', 'unknown_parent', 'queue_full', 'draining'],
      async handle({ params, body, headers, signal, ...call }) {
        const token = tokenOf(call);
        const record = await sessionOf(sessions, token, params.id);
        const by = { by: token.id, key: headers['idempotency-key'] };
        const { uuid, seq, position, isNew } = await postMessage(record, body, { ...options, ...by });
        if (body.mode === 'interrupt' && isNew) await interruptTurn(record, options);
        const seconds = Number(/\bwait=(\d{1,4})\b/.exec(headers.prefer ?? '')?.[1] ?? 0);
        const result = seconds > 0 ? await waitForAnswer(record.id, uuid, { ...options, seconds, signal }) : null;
        if (result) return { body: { uuid, result } };
        return { status: isNew ? 202 : 200, body: { uuid, seq, position } };
      },
    }),
    route({
      ...{ method: 'DELETE', path: `${path}/{uuid}`, scope: 'sessions:write' },
      params: z.object({ id: SessionId, uuid: SessionId }),
      summary: 'Withdraws a message that waits',
      answers: { 200: { description: 'It is withdrawn', schema: z.object({ cancelled: z.literal(true) }) } },
      errors: ['session_not_found', 'not_found', 'already_taken'],
      async handle({ params, ...call }) {
        const record = await sessionOf(sessions, tokenOf(call), params.id);
        const fate = await inbox.cancel(record.id, params.uuid);
        if (fate === 'unknown') throw noMessage(params.uuid);
        if (fate === 'taken' && !(await isWithdrawn(record, params.uuid, options))) throw alreadyTaken(params.uuid);
        return { body: { cancelled: true } };
      },
    }),
    route({
      ...{ method: 'GET', path, scope: 'sessions:read', params: SessionParams },
      query: z.object({
        offset: z._default(z.coerce.number().check(z.int(), z.minimum(0)), 0),
        limit: z._default(Limit, 100),
      }),
      summary: 'The stored conversation, the oldest first',
      answers: { 200: { description: 'A page of messages', schema: z.object({ messages: z.array(z.unknown()) }) } },
      errors: ['session_not_found'],
      async handle({ params, query, ...call }) {
        const record = await sessionOf(sessions, tokenOf(call), params.id);
        const { store, key } = await transcriptOf(record, options);
        return { body: { messages: await messagesOf(store.load(key), record.id, query) } };
      },
    }),
    route({
      ...{ method: 'GET', path: '/v1/sessions/{id}/entries', scope: 'sessions:read', params: SessionParams },
      summary: 'The transcript as it is stored, for `heddle sessions import`',
      answers: { 200: { description: 'One entry per line', type: 'application/x-ndjson' } },
      errors: ['session_not_found'],
      async handle({ params, ...call }) {
        const record = await sessionOf(sessions, tokenOf(call), params.id);
        const { store, key } = await transcriptOf(record, options);
        let text = '';
        for await (const loaded of store.load(key)) {
          if ('entry' in loaded) text += `${JSON.stringify(loaded.entry)}\n`;
        }
        const headers = { 'content-disposition': `attachment; filename="${record.id}.jsonl"` };
        return { text, type: 'application/x-ndjson', headers };
      },
    }),
    route({
      ...{ method: 'POST', path: '/v1/sessions/{id}/interrupt', scope: 'sessions:write', params: SessionParams },
      summary: 'Interrupts the turn that runs',
      answers: { 200: { description: 'It is interrupted', schema: z.object({ still_queued: z.array(z.string()) }) } },
      errors: ['session_not_found', 'no_turn', 'not_answered'],
      async handle({ params, ...call }) {
        const record = await sessionOf(sessions, tokenOf(call), params.id);
        await interruptTurn(record, options);
        const waiting = (await inbox.open(record.id)).filter(({ state }) => state === 'waiting');
        return { body: { still_queued: waiting.map(({ uuid }) => uuid) } };
      },
    }),
  ];
}

async function transcriptOf(record: SessionRecord, { transcriptsOf }: Pick<PostOptions, 'transcriptsOf'>) {
  const store: SessionStore = await transcriptsOf(record);
  return { store, key: { project: record.workspace.path, sessionId: record.id } };
}

/** Rejects with `no_turn`. */
async function interruptTurn({ id }: SessionRecord, options: MessageRoutesOptions): Promise<JsonObject> {
  const state = await options.sessions.state(id);
  if (state === 'running' || state === 'requires_action') {
    return askSession(id, { subtype: 'interrupt' }, options);
  }
  throw new HeddleError('no_turn', `No turn of the session runs: it is ${state}`, { facts: { state } });
}

/** A message that a run has, and whose turn has not begun, can be withdrawn by the session. */
async function isWithdrawn({ id }: SessionRecord, uuid: string, options: MessageRoutesOptions): Promise<boolean> {
  const row = await options.inbox.get(id, uuid);
  if (row?.state !== 'taken') return row?.state === 'cancelled';
  const request = { subtype: 'cancel_async_message', message_uuid: uuid };
  return (await askSession(id, request, options)).cancelled === true;
}

function noMessage(uuid: string): HeddleError {
  return new HeddleError('not_found', `The session has no message ${uuid}`, { facts: { uuid } });
}

function alreadyTaken(uuid: string): HeddleError {
  const message = `The message ${uuid} is being answered, or was: interrupt its turn instead`;
  return new HeddleError('already_taken', message, { facts: { uuid } });
}
