import type { Failure } from '../model/model.ts';
import type { Message } from '../wire/messages/index.ts';
import { addUserContent } from './conversation.ts';
import { describeFailure } from './failures.ts';
import { budgetExhausted, turnsExhausted } from './limits.ts';
import { errorLine, INTERRUPTED, INTERRUPTED_FOR_TOOL, userTextLine } from './lines.ts';
import { runTools } from './run-tools.ts';
import { runStep } from './step.ts';
import type { Turn } from './turn.ts';

/** Why a turn ended. `agent/result` turns it into the one result line. */
export type TurnEnd =
  | { kind: 'completed' }
  | { kind: 'max_turns'; maxTurns: number }
  | { kind: 'max_budget'; maxBudgetUsd: number }
  | { kind: 'interrupted'; during: 'stream' | 'tools' }
  | { kind: 'api_error'; failure: Failure; text: string };

/**
 * One turn: from a recorded user message to a stop.
 *
 *  1 guard    limits, budget, abort
 *  2 step     one model call, streamed
 *  3 stop?    no tool calls
 *  4 tools    prepare in order, run together where safe, exactly one result per call
 *
 * Yields every line in the order of the wire; what is yielded is already on disk. Never throws for trouble of the model
 * or of a tool; a broken store does throw. An abort ends the turn with `interrupted`, after every call got its result.
 */
export async function* runTurn(turn: Turn, signal: AbortSignal): AsyncGenerator<Message, TurnEnd> {
  for (;;) {
    // 1 guard
    if (signal.aborted) return yield* interrupted(turn, 'stream');
    if (budgetExhausted(turn.limits, turn.ledger.costUsd)) {
      return { kind: 'max_budget', maxBudgetUsd: turn.limits.maxBudgetUsd };
    }
    if (turnsExhausted(turn.limits, turn.tally)) return { kind: 'max_turns', maxTurns: turn.limits.maxTurns };

    // 2 step
    const step = yield* runStep(turn, signal);
    if (step.kind === 'failed') return yield* failed(turn, step.failure);

    // 3 stop?
    if (step.kind === 'aborted' && step.calls.length === 0) return yield* interrupted(turn, 'stream');
    if (step.calls.length === 0) return { kind: 'completed' };

    // 4 tools
    const tools = yield* runTools(turn, step.calls, signal);
    if (tools.interrupted) return yield* interrupted(turn, 'tools');
    turn.tally.rounds++;
  }
}

async function* interrupted(turn: Turn, during: 'stream' | 'tools'): AsyncGenerator<Message, TurnEnd> {
  const text = during === 'tools' ? INTERRUPTED_FOR_TOOL : INTERRUPTED;
  const line = userTextLine(turn, text);
  addUserContent(turn.messages, [{ type: 'text', text }]);
  turn.tally.userLines++;
  yield await turn.record(line);
  return { kind: 'interrupted', during };
}

async function* failed(turn: Turn, failure: Failure): AsyncGenerator<Message, TurnEnd> {
  const { error, text } = describeFailure(failure, turn.request.model);
  turn.tally.lastText = text;
  turn.tally.stopReason = 'stop_sequence';
  yield await turn.record(errorLine(turn, error, text));
  return { kind: 'api_error', failure, text };
}
