import type { Message } from '../wire/messages/index.ts';
import { errorLine } from './messages/lines.ts';
import { addMetaMessage } from './messages/meta-message.ts';
import type { Turn } from './turn.ts';
import type { TurnEnd } from './turn-end.ts';

/** How often a turn asks the model to continue an answer that was cut off. */
const MAX_OUTPUT_RECOVERIES = 3;

/** Ends the turn when the model has refused to answer. */
export async function* refused(turn: Turn): AsyncGenerator<Message, TurnEnd> {
  const reason = turn.tally.lastText.trim();
  const text = `API Error: The model refused to answer this request${reason ? `: ${reason}` : '. Change the request, or choose another model with --model.'}`;
  return yield* errorAnswer(turn, 'invalid_request', 'refusal', text);
}

/** Asks the model to continue an answer that has reached the output limit, a few times. `oddStops` counts them. */
export async function* outputLimit(
  turn: Turn,
  oddStops: { outputRecoveries: number },
): AsyncGenerator<Message, TurnEnd | null> {
  const { maxOutputTokens } = turn.request;
  const text = `API Error: The answer was cut off at the limit of ${maxOutputTokens} output tokens. CLAUDE_CODE_MAX_OUTPUT_TOKENS sets another limit.`;
  if (oddStops.outputRecoveries++ >= MAX_OUTPUT_RECOVERIES) {
    return yield* errorAnswer(turn, 'max_output_tokens', 'max_output_tokens', text);
  }
  // Current hosts take all text of the assistant as its answer, so they are shown the message to the model as well.
  const shown = turn.mentionsToday === true;
  if (!shown) yield await turn.conversation.record(errorLine(turn, 'max_output_tokens', text));
  yield* addMetaMessage(
    turn,
    'Your answer was cut off at the output limit. Go on exactly where it ended, in smaller pieces.',
    {
      shown,
    },
  );
  return null;
}

/** Ends the turn with an error instead of an answer. */
async function* errorAnswer(
  turn: Turn,
  error: 'invalid_request' | 'max_output_tokens',
  code: 'refusal' | 'max_output_tokens',
  text: string,
): AsyncGenerator<Message, TurnEnd> {
  yield await turn.conversation.record(errorLine(turn, error, text));
  turn.tally.lastText = text;
  turn.tally.stopReason = 'stop_sequence';
  return { kind: 'error_answer', code, text };
}
