import type { Message } from '../../wire/messages/index.ts';
import { lineIds, systemLine } from '../system-line.ts';
import type { Turn } from '../turn.ts';
import type { TurnEnd } from '../turn-end.ts';

/** Ends the turn for a hook, after a line that gives the host the reason. */
export async function* hookStopped(turn: Turn, reason: string): AsyncGenerator<Message, TurnEnd> {
  const content = `A hook stopped the turn${reason === '' ? '.' : `: ${reason}`}`;
  yield systemLine(lineIds(turn), 'informational', { content, level: 'warning', prevent_continuation: true });
  return { kind: 'hook_stopped', reason };
}
