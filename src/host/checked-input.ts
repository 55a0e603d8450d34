import type { JsonObject } from '../util/json.ts';
import { UserInput } from '../wire/messages/user.ts';
import { firstIssue } from '../wire/schema.ts';
import type { Session } from './session.ts';

/** A user line that is more than a bare text, checked. Null when it is not taken: then the host has been told why. */
export async function checkedInput(line: JsonObject, session: Session): Promise<UserInput | null> {
  const parsed = UserInput.safeParse(line);
  if (!parsed.success) {
    session.reportBadInput(`A user line is malformed: ${firstIssue(parsed.error)}`);
    return null;
  }
  // What is only to be appended stands there as it is: it calls no command and mentions no file.
  const input = { ...line, ...(line.shouldQuery === false && { client_composed: true }) } as unknown as UserInput;
  const refusal = await session.refusalOf(input);
  if (refusal === null) return input;
  session.reportBadInput(refusal.error, refusal.facts);
  return null;
}
