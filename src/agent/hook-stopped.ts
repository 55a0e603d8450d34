import type { Message } from '../wire/messages/index.ts';
import type { TurnEnd } from './loop.ts';
import type { Turn } from './turn.ts';

/** A hook wants the turn to end. Whoever reads along learns of it, and why. */
export async function* hookStopped(turn: Turn, reason: string): AsyncGenerator<Message, TurnEnd> {
  const content = `A hook stopped the turn${reason === '' ? '.' : `: ${reason}`}`;
  const ids = { session_id: turn.sessionId, uuid: turn.runtime.ids.uuid() };
  yield { type: 'system', subtype: 'informational', content, level: 'warning', prevent_continuation: true, ...ids };
  return { kind: 'hook_stopped', reason };
}
