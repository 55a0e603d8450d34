import { userContent } from '../agent/conversation.ts';
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
  const given = { ...line, ...(line.shouldQuery === false && { client_composed: true }) } as unknown as UserInput;
  const input = withPasted(given);
  const refusal = await session.refusalOf(input);
  if (refusal === null) return input;
  session.reportBadInput(refusal.error, refusal.facts);
  return null;
}

/** More than that nobody pastes. */
const MAX_PASTED = 1000;

/** What was pasted follows what was typed, in its order. Only texts are taken: other blocks belong into the message. */
function withPasted(input: UserInput): UserInput {
  const { pasted_content: pasted, ...rest } = input;
  if (pasted === undefined || pasted.length === 0) return input;
  const texts = pasted.flatMap((content) =>
    typeof content === 'string' ? [content] : content.flatMap((block) => (block.type === 'text' ? [block.text] : [])),
  );
  if (texts.length > MAX_PASTED) return rest;
  const added = texts.filter((text) => text.trim() !== '').map(tagged);
  const content = userContent(input.message);
  const last = content.findLastIndex(({ type }) => type === 'text');
  const typed = content[last];
  // Part of the same text, so that a command that was typed has it behind its words.
  const text = [...(typed?.type === 'text' ? [typed.text] : []), ...added].join('\n\n');
  const behind = typed
    ? content.toSpliced(last, 1, { ...typed, type: 'text', text })
    : [...content, { type: 'text' as const, text }];
  return added.length === 0 ? rest : { ...rest, message: { role: 'user', content: behind } };
}

function tagged(text: string): string {
  return `<pasted_content>\n${text}\n</pasted_content>`;
}
