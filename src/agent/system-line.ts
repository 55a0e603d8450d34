import type { Ids } from '../util/runtime.ts';
import type { Message } from '../wire/messages/index.ts';

/** A line of type `system`. The session id and the uuid come last, in the given order. */
export function systemLine<Subtype extends SystemSubtype>(
  ids: LineIds,
  subtype: Subtype,
  fields: SystemFields<Subtype>,
): Message {
  return { type: 'system', subtype, ...fields, ...ids } as unknown as Message;
}

type SystemMessage = Extract<Message, { type: 'system' }>;
export type SystemSubtype = SystemMessage['subtype'];

/** The fields of a system line in addition to those that every line has. */
export type SystemFields<Subtype extends SystemSubtype> = KnownFields<Extract<SystemMessage, { subtype: Subtype }>>;

/** Without the index signature of an open shape, which would let everything pass. */
type KnownFields<Line> = {
  [Key in keyof Line as string extends Key ? never : Exclude<Key, 'type' | 'subtype' | keyof LineIds>]: Line[Key];
};

/** The ids that every line has: its session's and its own. */
interface LineIds {
  session_id: string;
  uuid: string;
}

/** The part of a session or turn that lines get their ids from. */
interface LineSource {
  readonly sessionId: string;
  readonly runtime: { readonly ids: Pick<Ids, 'uuid'> };
}

/** The ids of a new line. */
export function lineIds({ sessionId, runtime }: LineSource): LineIds {
  return { session_id: sessionId, uuid: runtime.ids.uuid() };
}
