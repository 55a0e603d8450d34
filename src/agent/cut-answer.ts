import type { Message } from '../wire/messages/index.ts';
import { errorLine } from './lines.ts';
import type { TurnEnd } from './loop.ts';
import type { Patience } from './stop.ts';
import { tell } from './tell.ts';
import type { Turn } from './turn.ts';

/** How often a turn goes on with an answer that was cut off (ruling K31). */
const MAX_OUTPUT_RECOVERIES = 3;

/** The model would not answer. */
export async function* refused(turn: Turn): AsyncGenerator<Message, TurnEnd> {
  const reason = turn.tally.lastText.trim();
  const text = `API Error: The model refused to answer this request${reason ? `: ${reason}` : '. Change the request, or choose another model with --model.'}`;
  return yield* errorAnswer(turn, 'invalid_request', 'refusal', text);
}

/** The answer has reached the output limit: it is gone on with, a few times. */
export async function* outputLimit(turn: Turn, patience: Patience): AsyncGenerator<Message, TurnEnd | null> {
  const { maxOutputTokens } = turn.request;
  const text = `API Error: The answer was cut off at the limit of ${maxOutputTokens} output tokens. CLAUDE_CODE_MAX_OUTPUT_TOKENS sets another limit.`;
  if (patience.outputRecoveries++ >= MAX_OUTPUT_RECOVERIES) {
    return yield* errorAnswer(turn, 'max_output_tokens', 'max_output_tokens', text);
  }
  // To today's hosts all text of the assistant is its answer: they are shown what the model is told.
  const shown = turn.tellsToday === true;
  if (!shown) yield await turn.record(errorLine(turn, 'max_output_tokens', text));
  yield* tell(turn, 'Your answer was cut off at the output limit. Go on exactly where it ended, in smaller pieces.', {
    shown,
  });
  return null;
}

/** An error in the place of an answer ends the turn. */
async function* errorAnswer(
  turn: Turn,
  error: 'invalid_request' | 'max_output_tokens',
  code: 'refusal' | 'max_output_tokens',
  text: string,
): AsyncGenerator<Message, TurnEnd> {
  yield await turn.record(errorLine(turn, error, text));
  turn.tally.lastText = text;
  turn.tally.stopReason = 'stop_sequence';
  return { kind: 'error_answer', code, text };
}
