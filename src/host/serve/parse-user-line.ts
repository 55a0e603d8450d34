import { userContent } from '../../agent/messages/api-messages.ts';
import type { JsonObject } from '../../util/json.ts';
import { textsOf } from '../../wire/api/text-of.ts';
import { UserInput } from '../../wire/messages/user.ts';
import { firstIssue } from '../../wire/schema.ts';
import type { Session } from '../session/session.ts';

/** Checks a user line that is more than a bare text. Null when the line is refused; the host has got the reason then. */
export async function checkedInput(line: JsonObject, session: Session): Promise<UserInput | null> {
  const parsed = UserInput.safeParse(line);
  if (!parsed.success) {
    session.reportBadInput(`A user line is malformed: ${firstIssue(parsed.error)}`);
    return null;
  }
  // A message that is only appended calls no command and mentions no file.
  const whole = { ...line, ...(line.shouldQuery === false && { client_composed: true }) } as unknown as UserInput;
  const input = withPasted(whole);
  const refusal = await session.refusalOf(input);
  if (refusal === null) return input;
  session.reportBadInput(refusal.error, refusal.details);
  return null;
}

/** More pasted texts are ignored. */
const MAX_PASTED = 1000;

/** Adds pasted texts after the typed text, in their order. Other pasted blocks are ignored: these belong into the message. */
function withPasted(input: UserInput): UserInput {
  const { pasted_content: pasted, ...rest } = input;
  if (pasted === undefined || pasted.length === 0) return input;
  const texts = pasted.flatMap((content) => textsOf(content));
  if (texts.length > MAX_PASTED) return rest;
  const added = texts.filter((text) => text.trim() !== '').map(tagged);
  const content = userContent(input.message);
  const last = content.findLastIndex(({ type }) => type === 'text');
  const typed = content[last];
  // One text, so that a typed command gets the pasted text as part of its arguments.
  const text = [...(typed?.type === 'text' ? [typed.text] : []), ...added].join('\n\n');
  const behind = typed
    ? content.toSpliced(last, 1, { ...typed, type: 'text', text })
    : [...content, { type: 'text' as const, text }];
  return added.length === 0 ? rest : { ...rest, message: { role: 'user', content: behind } };
}

function tagged(text: string): string {
  return `<pasted_content>\n${text}\n</pasted_content>`;
}
