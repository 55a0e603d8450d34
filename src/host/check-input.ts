import type { UserInput } from '../wire/messages/user.ts';
import type { Parts } from './parts.ts';
import { parentOf } from './record-input.ts';

/** Why a message is not taken. */
export interface Refusal {
  error: string;
  facts: { error_code: string; input_uuid?: string };
}

/** Whether the uuids of a message fit the session: its own must be new, its parent's must not. Null: they do. */
export async function refusalOf(parts: Parts, input: UserInput): Promise<Refusal | null> {
  const { uuid } = input;
  const named = uuid === undefined ? {} : { input_uuid: uuid };
  if (uuid !== undefined && (await isUsed(parts, uuid))) {
    const error = `A message with the uuid ${uuid} is already part of this session; it was not sent again`;
    return { error, facts: { error_code: 'used_uuid', ...named } };
  }
  if (input.edits !== undefined || input.restore_files === true) {
    const problem = await (await import('./edits.ts')).editProblem(parts, input);
    if (problem) {
      const error = `${problem.error}; the message was not sent`;
      return { error, facts: { error_code: problem.code, ...named } };
    }
  }
  const parent = parentOf(input);
  if (typeof parent === 'string' && !(await canFollow(parts, parent))) {
    const error = `No message of this session has the uuid ${parent}; the message was not sent`;
    return { error, facts: { error_code: 'unknown_parent', ...named } };
  }
  return null;
}

/** The store keeps each uuid once, so a message must bring a new one. */
async function isUsed(parts: Parts, uuid: string): Promise<boolean> {
  return parts.uuids.has(uuid) || (parts.transcript.hasPast && (await holdsEntry(parts, uuid)));
}

/** Every uuid of the conversation that was ever said. */
async function canFollow(parts: Parts, uuid: string): Promise<boolean> {
  return parts.spoken.has(uuid) || parts.recorder.leaf === uuid || (await holdsEntry(parts, uuid));
}

/** Whether the session's transcript has an entry with this uuid. */
export async function holdsEntry({ transcript: { store, key } }: Parts, uuid: string): Promise<boolean> {
  if (store.has) return store.has(key, uuid);
  for await (const item of store.load(key)) if ('entry' in item && item.entry.uuid === uuid) return true;
  return false;
}
