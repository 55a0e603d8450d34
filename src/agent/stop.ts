import type { Message } from '../wire/messages/index.ts';
import { lastSaid } from './conversation.ts';
import { hookStopped } from './hook-stopped.ts';
import type { TurnEnd } from './loop.ts';
import { tell } from './tell.ts';
import type { Turn } from './turn.ts';

/** How often a turn puts up with each odd stop (ruling K31). */
const MAX_PAUSES = 5;
const MAX_NUDGES = 1;
/** A Stop hook that always objects is not asked for ever (trust K-5). */
const MAX_OBJECTIONS = 20;

/** Counts what a turn has forgiven. One per turn. */
export class Patience {
  outputRecoveries = 0;
  pauses = 0;
  nudges = 0;
  objections = 0;
}

/**
 * The answer calls no tool: is the turn over? Returns its end, or null when the model is called again; what it is told
 * then has been added to the conversation.
 */
export async function* decideStop(
  turn: Turn,
  patience: Patience,
  signal: AbortSignal,
): AsyncGenerator<Message, TurnEnd | null> {
  const { stopReason, lastBlocks } = turn.tally;
  if (stopReason === 'refusal') return yield* (await cutAnswers()).refused(turn);
  if (stopReason === 'pause_turn' && patience.pauses++ < MAX_PAUSES) return null;
  if (lastBlocks === 0) return yield* empty(turn, patience);
  if (stopReason === 'max_tokens' || stopReason === 'model_context_window_exceeded') {
    return yield* (await cutAnswers()).outputLimit(turn, patience);
  }
  if (turn.structured) return yield* withoutOutput(turn);
  return yield* askToStop(turn, patience, signal);
}

/**
 * After a round of tools: a call that the output limit cut off has failed, and would be made in the same way again and
 * again. The model is told why, as often as for a text.
 */
export async function* afterCutCall(turn: Turn, patience: Patience): AsyncGenerator<Message, TurnEnd | null> {
  const result = turn.messages.at(-1)?.content.findLast(({ type }) => type === 'tool_result');
  const hasFailed = result?.type === 'tool_result' && result.is_error === true;
  if (!hasFailed || turn.tally.stopReason !== 'max_tokens') return null;
  return yield* (await cutAnswers()).outputLimit(turn, patience);
}

async function* empty(turn: Turn, patience: Patience): AsyncGenerator<Message, TurnEnd | null> {
  if (patience.nudges++ < MAX_NUDGES) {
    yield* tell(turn, 'Your last answer was empty. Go on with the task, or say that it is done.', { shown: true });
    return null;
  }
  return { kind: 'empty_answer' };
}

async function* withoutOutput(turn: Turn): AsyncGenerator<Message, TurnEnd | null> {
  const { structured } = turn;
  if (!structured) return null;
  const demand = structured.demand();
  if (demand === null) return structured.failure(lastSaid(turn.messages));
  yield* tell(turn, demand, { shown: true });
  return null;
}

async function* askToStop(
  turn: Turn,
  patience: Patience,
  signal: AbortSignal,
): AsyncGenerator<Message, TurnEnd | null> {
  const verdict = await turn.beforeStop(patience.objections > 0, signal);
  if (verdict.kind === 'end') return yield* hookStopped(turn, verdict.reason);
  if (verdict.kind === 'stop') return { kind: 'completed' };
  if (patience.objections >= MAX_OBJECTIONS) {
    turn.runtime.log('warn', `A Stop hook has objected ${MAX_OBJECTIONS} times; the turn ends all the same`);
    return { kind: 'completed' };
  }
  patience.objections++;
  yield* tell(turn, verdict.feedback, { shown: true });
  return null;
}

/** Most answers are whole. */
const cutAnswers = () => import('./cut-answer.ts');
