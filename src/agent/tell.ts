import type { Message } from '../wire/messages/index.ts';
import { addUserContent } from './conversation.ts';
import { userTextLine } from './lines.ts';
import type { Turn } from './turn.ts';

/** Says something to the model that no person said. It is recorded in any case, so that a resume sends the same. */
export async function* tell(turn: Turn, text: string, { shown }: { shown: boolean }): AsyncGenerator<Message, void> {
  const line: Message = { ...userTextLine(turn, text), isSynthetic: true };
  const recorded = await turn.record(line, { isMeta: true });
  addUserContent(turn.messages, [{ type: 'text', text }]);
  if (!shown) return;
  turn.tally.userLines++;
  yield recorded;
}
