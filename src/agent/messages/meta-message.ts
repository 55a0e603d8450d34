import type { Message } from '../../wire/messages/index.ts';
import type { Turn } from '../turn.ts';
import { addUserContent } from './api-messages.ts';
import { userTextLine } from './lines.ts';

/** Adds a message of the runtime for the model. It is always recorded, so that a resume sends the same. */
export async function* addMetaMessage(
  turn: Turn,
  text: string,
  { shown }: { shown: boolean },
): AsyncGenerator<Message, void> {
  const line: Message = { ...userTextLine(turn, text), isSynthetic: true };
  const recorded = await turn.conversation.record(line, { isMeta: true });
  addUserContent(turn.conversation.messages, [{ type: 'text', text }]);
  if (!shown) return;
  turn.tally.userLines++;
  yield recorded;
}
