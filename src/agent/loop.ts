import type { Failure } from '../model/model.ts';
import { abortReason } from '../util/abort.ts';
import type { Message } from '../wire/messages/index.ts';
import { hookStopped } from './calls/hook-stopped.ts';
import { refuseTools, runTools } from './calls/run-tools.ts';
import { toolSummaryLine } from './calls/tool-summary.ts';
import { type CompactionAttempts, compactNow, contextFull, noteStep } from './compaction/auto-compact.ts';
import { describeFailure } from './failures.ts';
import { takeFallback } from './fallback.ts';
import { budgetExhausted, type Limits, turnsExhausted } from './limits.ts';
import { addUserContent, lastSaid } from './messages/api-messages.ts';
import { errorLine, INTERRUPTED, INTERRUPTED_FOR_TOOL, userTextLine } from './messages/lines.ts';
import { runStep } from './step.ts';
import { afterCutCall, decideStop, OddStopLimit } from './stop.ts';
import type { Turn } from './turn.ts';
import type { TurnEnd } from './turn-end.ts';

export type { StoppedTask, TurnEnd } from './turn-end.ts';

/**
 * One turn: from a recorded user message to a stop.
 *
 *  1 guard    limits, budget, abort
 *  2 compact  if the conversation is near the window
 *  3 step     one model call, streamed
 *  4 stop?    no tool calls, and nothing objects
 *  5 tools    prepare in order, run together where safe, exactly one result per call
 *  6 queue    messages that the user sent meanwhile join the next request
 *
 * Yields every line in the order of the wire, after it is on disk. Never throws for a failure of the model
 * or of a tool; a broken store does throw. An abort ends the turn with `interrupted`, after every call got its result.
 */
export async function* runTurn(turn: Turn, signal: AbortSignal): AsyncGenerator<Message, TurnEnd> {
  const oddStops = new OddStopLimit();
  const attempts: CompactionAttempts = { afterFailure: 0, stepsSince: Number.POSITIVE_INFINITY, failures: 0 };
  for (;;) {
    // 1 guard
    if (signal.aborted) return yield* interrupted(turn, 'stream', signal);
    if (budgetExhausted(turn.limits, turn.ledger.spentUsd)) return overBudget(turn.limits);
    if (turnsExhausted(turn.limits, turn.tally)) return { kind: 'max_turns', maxTurns: turn.limits.maxTurns };

    // 2 compact
    if (contextFull(turn, attempts)) {
      yield* compactNow(turn, attempts, signal);
      continue; // it may have used up the budget, or taken until the user interrupted
    }

    // 3 step
    const step = yield* runStep(turn, signal);
    noteStep(turn, attempts);
    if (step.kind === 'failed') {
      if (budgetExhausted(turn.limits, turn.ledger.spentUsd)) return overBudget(turn.limits);
      const goesOn =
        (yield* takeFallback(turn, step.failure)) || (yield* compactAfter(turn, step.failure, attempts, signal));
      if (goesOn) continue;
      return yield* failed(turn, step.failure);
    }

    // 4 stop?
    if (step.kind === 'aborted' && step.calls.length === 0) return yield* interrupted(turn, 'stream', signal);
    if (step.calls.length === 0) {
      const end = yield* decideStop(turn, oddStops, signal);
      if (end) return end;
      yield* queued(turn);
      continue;
    }

    // 5 tools
    if (budgetExhausted(turn.limits, turn.ledger.spentUsd)) {
      yield* refuseTools(turn, step.calls, 'Not run: the budget of this run is used up.');
      return overBudget(turn.limits);
    }
    const tools = yield* runTools(turn, step.calls, signal);
    if (tools.interrupted) return yield* interrupted(turn, 'tools', signal);
    if (tools.stoppedByHook !== null) return yield* hookStopped(turn, tools.stoppedByHook);
    turn.tally.rounds++;
    const [deferred] = tools.deferred;
    if (deferred) return { kind: 'deferred', call: deferred.block };
    if (turn.summaries) yield toolSummaryLine(turn, step.calls);
    const structured = turn.structured?.afterRound(step.calls) ?? 'go on';
    if (structured === 'done') return { kind: 'completed' };
    if (turn.structured && structured === 'exhausted')
      return turn.structured.failure(lastSaid(turn.conversation.messages));
    const end = yield* afterCutCall(turn, oddStops);
    if (end) return end;

    // 6 queue
    yield* queued(turn);
  }
}

/**
 * Takes the user's queued messages if another request follows that can carry them: a request that continues an answer
 * cannot.
 */
async function* queued(turn: Turn): AsyncGenerator<Message, void> {
  const isContinued = turn.conversation.messages.at(-1)?.role === 'assistant';
  if (!isContinued && !turnsExhausted(turn.limits, turn.tally)) yield* await turn.takeQueued();
}

export function overBudget({ maxBudgetUsd }: { maxBudgetUsd: number }): TurnEnd {
  return { kind: 'max_budget', maxBudgetUsd };
}

/** The request did not fit: the conversation is compacted for it, once in a turn. */
async function* compactAfter(
  turn: Turn,
  failure: Failure,
  attempts: CompactionAttempts,
  signal: AbortSignal,
): AsyncGenerator<Message, boolean> {
  // Right after a compaction, or an attempt at one, another would not help.
  if (failure.class !== 'prompt_too_long' || attempts.stepsSince <= 1 || attempts.afterFailure++ > 0) return false;
  return yield* compactNow(turn, attempts, signal);
}

async function* interrupted(
  turn: Turn,
  during: 'stream' | 'tools',
  signal: AbortSignal,
): AsyncGenerator<Message, TurnEnd> {
  const end = endOfAbort(turn.limits, during, signal);
  const marker = during === 'tools' ? INTERRUPTED_FOR_TOOL : INTERRUPTED;
  const isLate = end.kind === 'max_duration';
  const text = isLate ? `[The turn was stopped: it took longer than ${end.maxDurationMs} ms]` : marker;
  const line = userTextLine(turn, text);
  addUserContent(turn.conversation.messages, [{ type: 'text', text }]);
  turn.tally.userLines++;
  yield await turn.conversation.record(line);
  return end;
}

/** The end of an aborted turn. A time limit also arrives as an abort. */
export function endOfAbort({ maxDurationMs }: Limits, during: 'stream' | 'tools', signal: AbortSignal): TurnEnd {
  const isLate = signal.aborted && abortReason(signal).kind === 'timeout' && maxDurationMs !== undefined;
  return isLate ? { kind: 'max_duration', maxDurationMs } : { kind: 'interrupted', during };
}

async function* failed(turn: Turn, failure: Failure): AsyncGenerator<Message, TurnEnd> {
  const { error, text } = describeFailure(failure, turn.request.model);
  turn.tally.lastText = text;
  turn.tally.stopReason = 'stop_sequence';
  yield await turn.conversation.record(errorLine(turn, error, text));
  return { kind: 'api_error', failure, text };
}
