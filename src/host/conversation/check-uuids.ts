import type { UserInput } from '../../wire/messages/user.ts';
import { holdsEntry } from '../resume/holds-entry.ts';
import type { Conversation, Refusal } from './conversation.ts';
import { editProblem } from './edit-prompt.ts';
import { parentOf } from './user-input.ts';

/** Checks the uuids of a message: its own must be new, its parent's must be known. Null: both are right. */
export async function refusalOf(conversation: Conversation, input: UserInput): Promise<Refusal | null> {
  const { uuid } = input;
  const named = uuid === undefined ? {} : { input_uuid: uuid };
  if (uuid !== undefined && (await isUsed(conversation, uuid))) {
    const error = `A message with the uuid ${uuid} is already part of this session; it was not sent again`;
    return { error, details: { error_code: 'used_uuid', ...named } };
  }
  if (input.edits !== undefined || input.restore_files === true) {
    const problem = await editProblem(conversation, input);
    if (problem) {
      const error = `${problem.error}; the message was not sent`;
      return { error, details: { error_code: problem.code, ...named } };
    }
  }
  const parent = parentOf(input);
  if (typeof parent === 'string' && !(await canFollow(conversation, parent))) {
    const error = `No message of this session has the uuid ${parent}; the message was not sent`;
    return { error, details: { error_code: 'unknown_parent', ...named } };
  }
  return null;
}

/** The store saves each uuid once, so a message must bring a new one. */
async function isUsed({ uuids, transcript }: Conversation, uuid: string): Promise<boolean> {
  return uuids.has(uuid) || (transcript.isResumed && (await holdsEntry(transcript, uuid)));
}

/** A message may follow every entry of the conversation, and every line that was sent. */
async function canFollow({ anchors, leaf, transcript }: Conversation, uuid: string): Promise<boolean> {
  return anchors.has(uuid) || leaf === uuid || (await holdsEntry(transcript, uuid));
}
