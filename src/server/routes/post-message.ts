import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { userContent } from '../../agent/messages/api-messages.ts';
import type { SessionStore } from '../../sessions/store.ts';
import type { JsonObject } from '../../util/json.ts';
import { Content } from '../../wire/api/content.ts';
import { HeddleError } from '../../wire/errors.ts';
import type { SessionRecord, SessionRecords } from '../ports/session-records.ts';
import type { Posted, TurnEngine } from '../ports/turn-engine.ts';
import { SessionId } from './schemas.ts';

export const NewMessage = z.strictObject({
  uuid: z.optional(SessionId),
  content: Content,
  parent_uuid: z.optional(z.nullable(z.string())),
  mode: z.optional(z.enum(['queue', 'steer', 'interrupt'])),
  should_query: z.optional(z.boolean()),
});
export type NewMessage = z.infer<typeof NewMessage>;

export interface PostOptions {
  engine: TurnEngine;
  sessions: SessionRecords;
  /** The store of the transcripts of a session. */
  transcriptsOf: (record: SessionRecord) => Promise<SessionStore>;
  newId: () => string;
}

const PRIORITIES = { queue: 'later', steer: 'next', interrupt: 'now' } as const;

/** Posts a message to a session. Rejects with `invalid_request`, `unknown_parent`, and what the engine rejects with. */
export async function postMessage(
  record: SessionRecord,
  message: NewMessage,
  { by, key, ...options }: PostOptions & { by: string; key?: string | undefined },
): Promise<Posted & { uuid: string }> {
  const { content, mode = 'queue', parent_uuid: parent, should_query: asks } = message;
  const uuid = message.uuid ?? (key === undefined ? options.newId() : uuidOf(`${record.id} ${key}`));
  if (userContent({ role: 'user', content }).length === 0) {
    throw new HeddleError('invalid_request', 'The message says nothing: content needs a text or a block');
  }
  if (typeof parent === 'string') await checkParent(record, parent, options);
  const line: JsonObject = {
    ...{ type: 'user', message: { role: 'user', content }, uuid, priority: PRIORITIES[mode] },
    ...(parent !== undefined && { parentUuid: parent }),
    ...(asks === false && { shouldQuery: false }),
  };
  return { uuid, ...(await postLine(record, { uuid, line, by }, options)) };
}

/** Posts a `user` line. */
export async function postLine(
  record: SessionRecord,
  message: { uuid: string; line: JsonObject; by: string },
  { engine, sessions }: Pick<PostOptions, 'engine' | 'sessions'>,
): Promise<Posted> {
  const posted = await engine.post({ sessionId: record.id, ...message });
  if (record.isArchived) await sessions.change(record.id, { isArchived: false });
  return posted;
}

async function checkParent(record: SessionRecord, parent: string, { transcriptsOf }: PostOptions): Promise<void> {
  const store = await transcriptsOf(record);
  const isKnown = await store.has?.({ project: record.workspace.path, sessionId: record.id }, parent);
  if (isKnown !== false) return;
  const message = `No message of the session has the uuid ${parent}: GET its messages lists them`;
  throw new HeddleError('unknown_parent', message, { facts: { parent } });
}

/** The same uuid for the same key. */
function uuidOf(key: string): string {
  const hex = createHash('sha256').update(key).digest('hex');
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `a${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ];
  return parts.join('-');
}
