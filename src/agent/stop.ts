import type { Message } from '../wire/messages/index.ts';
import { hookStopped } from './calls/hook-stopped.ts';
import { outputLimit, refused } from './cut-answer.ts';
import { lastSaid } from './messages/api-messages.ts';
import { addMetaMessage } from './messages/meta-message.ts';
import type { Turn } from './turn.ts';
import type { TurnEnd } from './turn-end.ts';

/** How often a turn continues after each kind of unusual stop. */
const MAX_PAUSES = 5;
const MAX_NUDGES = 1;
/** After this many objections the Stop hooks are not asked again, so that the turn ends. */
const MAX_OBJECTIONS = 20;

/** Counts the unusual stops of a turn. One per turn. */
export class OddStopLimit {
  outputRecoveries = 0;
  pauses = 0;
  nudges = 0;
  objections = 0;
}

/**
 * Decides whether a turn is over after an answer without tool calls. Returns its end, or null when the model is called
 * again; the message for that call is already in the conversation.
 */
export async function* decideStop(
  turn: Turn,
  oddStops: OddStopLimit,
  signal: AbortSignal,
): AsyncGenerator<Message, TurnEnd | null> {
  const { stopReason, lastBlocks } = turn.tally;
  if (stopReason === 'refusal') return yield* refused(turn);
  if (stopReason === 'pause_turn' && oddStops.pauses++ < MAX_PAUSES) return null;
  if (lastBlocks === 0) return yield* empty(turn, oddStops);
  if (stopReason === 'max_tokens' || stopReason === 'model_context_window_exceeded') {
    return yield* outputLimit(turn, oddStops);
  }
  if (turn.structured) return yield* withoutOutput(turn);
  return yield* askToStop(turn, oddStops, signal);
}

/**
 * Called after a round of tools. A call that the output limit cut off has failed, and the model would repeat it; so it
 * gets the reason, as often as for a cut text.
 */
export async function* afterCutCall(turn: Turn, oddStops: OddStopLimit): AsyncGenerator<Message, TurnEnd | null> {
  const result = turn.conversation.messages.at(-1)?.content.findLast(({ type }) => type === 'tool_result');
  const hasFailed = result?.type === 'tool_result' && result.is_error === true;
  if (!hasFailed || turn.tally.stopReason !== 'max_tokens') return null;
  return yield* outputLimit(turn, oddStops);
}

async function* empty(turn: Turn, oddStops: OddStopLimit): AsyncGenerator<Message, TurnEnd | null> {
  if (oddStops.nudges++ < MAX_NUDGES) {
    yield* addMetaMessage(turn, 'Your last answer was empty. Go on with the task, or say that it is done.', {
      shown: true,
    });
    return null;
  }
  return { kind: 'empty_answer' };
}

async function* withoutOutput(turn: Turn): AsyncGenerator<Message, TurnEnd | null> {
  const { structured } = turn;
  if (!structured) return null;
  const demand = structured.demand();
  if (demand === null) return structured.failure(lastSaid(turn.conversation.messages));
  yield* addMetaMessage(turn, demand, { shown: true });
  return null;
}

async function* askToStop(
  turn: Turn,
  oddStops: OddStopLimit,
  signal: AbortSignal,
): AsyncGenerator<Message, TurnEnd | null> {
  const verdict = await turn.beforeStop(oddStops.objections > 0, signal);
  if (verdict.kind === 'end') return yield* hookStopped(turn, verdict.reason);
  if (verdict.kind === 'stop') return { kind: 'completed' };
  if (oddStops.objections >= MAX_OBJECTIONS) {
    turn.runtime.log('warn', `A Stop hook has objected ${MAX_OBJECTIONS} times; the turn ends all the same`);
    return { kind: 'completed' };
  }
  oddStops.objections++;
  yield* addMetaMessage(turn, verdict.feedback, { shown: true });
  return null;
}
