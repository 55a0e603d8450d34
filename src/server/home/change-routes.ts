import { realpathSync } from 'node:fs';
import * as z from 'zod/mini';
import { rewindStored } from '../../admin/rewind.ts';
import {
  archiveSession,
  deleteStored,
  findMessage,
  forkSession,
  openStored,
  renameSession,
  switchStored,
  tagSession,
} from '../../admin/sessions.ts';
import type { Env } from '../../host/engine/environment.ts';
import type { Ids, Logger } from '../../util/runtime.ts';
import { HeddleError } from '../../wire/errors.ts';
import { type Route, route } from '../http/route.ts';
import type { HomeSessions } from './home-sessions.ts';
import { HomeSession } from './shapes.ts';

export interface ChangeRoutesOptions {
  sessions: HomeSessions;
  env: Env;
  log: Logger;
  ids: Ids;
  now: () => number;
  /** Lets go of a session that this server has open. */
  release: ((sessionId: string) => Promise<void>) | undefined;
}

const Message = z.string().check(z.regex(/^[\w:.-]{1,128}$/));
const Anything = z.record(z.string(), z.unknown());
const WRITE = { method: 'POST', scope: 'home:write', params: HomeSession } as const;

/** What a person does with stored sessions: the functions of the command line. */
export function changeRoutes(options: ChangeRoutesOptions): Route[] {
  const { sessions, env, log, ids, now, release } = options;
  const { home } = sessions;
  const location = { home, cwd: home, log };
  return [
    route({
      ...{ ...WRITE, path: '/v1/home/sessions/{id}/rename', errors: ['session_not_found', 'invalid_option'] },
      summary: 'Gives a session a title',
      body: z.strictObject({ title: z.string().check(z.maxLength(200)) }),
      answers: { 200: { description: 'It is called so', schema: Anything } },
      async handle({ params: { id }, body: { title } }) {
        await renameSession(await sessions.find(id), title);
        return { body: {} };
      },
    }),
    route({
      ...{ ...WRITE, path: '/v1/home/sessions/{id}/tag', errors: ['session_not_found'] },
      summary: 'Gives a session a tag; null takes it away',
      body: z.strictObject({ tag: z.nullable(z.string().check(z.maxLength(100))) }),
      answers: { 200: { description: 'It is tagged', schema: Anything } },
      async handle({ params: { id }, body: { tag } }) {
        await tagSession(await sessions.find(id), tag?.trim() ? tag : null);
        return { body: {} };
      },
    }),
    route({
      ...{ ...WRITE, path: '/v1/home/sessions/{id}/archive', errors: ['session_not_found'] },
      summary: 'Archives a session, or takes it out of the archive',
      body: z.strictObject({ archived: z.boolean() }),
      answers: { 200: { description: 'It is so', schema: Anything } },
      async handle({ params: { id }, body: { archived } }) {
        await archiveSession(await sessions.find(id), { archived, now });
        return { body: {} };
      },
    }),
    route({
      ...{ ...WRITE, path: '/v1/home/sessions/{id}/switch', errors: ['session_not_found', 'session_busy'] },
      summary: 'Chooses the message from which the conversation continues',
      body: z.strictObject({ leaf: Message }),
      answers: { 200: { description: 'The message, and whether it was another one', schema: Anything } },
      async handle({ params: { id }, body: { leaf } }) {
        await release?.(id);
        return { body: { ...(await switchStored(id, leaf, location)) } };
      },
    }),
    route({
      ...{ ...WRITE, path: '/v1/home/sessions/{id}/fork', errors: ['session_not_found'] },
      summary: 'Copies a branch to a new session',
      body: z.strictObject({ at: z.optional(Message), title: z.optional(z.string().check(z.maxLength(200))) }),
      answers: { 201: { description: 'The id of the new session', schema: Anything } },
      async handle({ params: { id }, body: { at, title } }) {
        const session = await openStored(id, location);
        const made = await forkSession(session, {
          ids,
          ...(at !== undefined && { upToMessageId: findMessage(session, at).id }),
          ...(title !== undefined && { title }),
        });
        return { status: 201, body: { id: made.sessionId } };
      },
    }),
    route({
      ...{ ...WRITE, path: '/v1/home/sessions/{id}/rewind', errors: ['session_not_found', 'session_busy'] },
      summary: 'Restores files to their state when a message was sent, or with `dry_run` tells what that would change',
      body: z.strictObject({ message: Message, dry_run: z.boolean(), force: z._default(z.boolean(), false) }),
      answers: { 200: { description: 'The files, and whether it was done', schema: Anything } },
      async handle({ params: { id }, body: { message, dry_run: dryRun, force } }) {
        await release?.(id);
        const cwd = directoryOf(sessions, id);
        const request = { session: id, message, dryRun, force, roots: [] };
        return { body: { ...(await rewindStored({ home, cwd, log, env, ...request })) } };
      },
    }),
    route({
      ...{ method: 'DELETE', scope: 'home:write', params: HomeSession, path: '/v1/home/sessions/{id}' },
      summary: 'Moves a session to the trash',
      answers: { 200: { description: 'Where it is now', schema: Anything } },
      errors: ['session_not_found', 'session_busy'],
      async handle({ params: { id } }) {
        await release?.(id);
        return { body: { moved_to: await deleteStored(await sessions.find(id), { ...location, now }) } };
      },
    }),
  ];
}

/** The directory of a session: files are restored only there. */
function directoryOf(sessions: HomeSessions, id: string): string {
  const cwd = sessions.list().find(({ sessionId }) => sessionId === id)?.cwd;
  try {
    if (cwd !== undefined) return realpathSync(cwd);
  } catch {
    // Gone: said below.
  }
  throw new HeddleError('session_not_found', `The directory of session ${id} is not there any more`, {
    facts: { cwd },
  });
}
