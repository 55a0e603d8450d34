import { userContent } from '../../agent/messages/api-messages.ts';
import { textOf } from '../../wire/api/text-of.ts';
import type { UserInput } from '../../wire/messages/user.ts';

/** The message that an input follows. Undefined: the active leaf. Null: none, the input begins a new root. */
export function parentOf({ parentUuid, parent_uuid }: UserInput): string | null | undefined {
  return parentUuid === undefined ? parent_uuid : parentUuid;
}

/** Whether an input follows another message than the last one. */
export function goesElsewhere(input: UserInput): boolean {
  return input.edits !== undefined || parentOf(input) !== undefined;
}

/** Whether a message waits until the running turn is over. */
export function isPatient({ priority, shouldQuery }: UserInput): boolean {
  return priority === 'later' || shouldQuery === false;
}

/** The text of an input, cut to the length that a list of sessions shows. */
export function textOfInput({ message }: UserInput): string {
  return textOf(userContent(message)).slice(0, MAX_SHOWN);
}

const MAX_SHOWN = 200;
