import type { TurnEnd } from '../agent/loop.ts';
import type { Message } from '../wire/messages/index.ts';

/** Runs a turn to its end and says what it yields, one line after the other. */
export async function drive<End extends TurnEnd | null>(
  turn: AsyncGenerator<Message, End>,
  say: (line: Message) => Promise<void> | undefined,
): Promise<End> {
  try {
    for (;;) {
      const step = await turn.next();
      if (step.done) return step.value;
      const busy = say(step.value);
      if (busy) await busy;
    }
  } finally {
    // When nobody could be told, the turn ends here: what it holds open (a request, a tool) must not outlive it.
    await turn.return({ kind: 'interrupted', during: 'stream' } as TurnEnd as End);
  }
}
