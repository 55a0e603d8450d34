import type { Failure } from '../model/model.ts';
import { abortReason } from '../util/abort.ts';
import type { ToolUseBlock } from '../wire/content.ts';
import type { Message } from '../wire/messages/index.ts';
import { type Attempts, contextFull, makeRoom, noteStep } from './auto-compact.ts';
import { addUserContent, lastSaid } from './conversation.ts';
import { describeFailure } from './failures.ts';
import { takeFallback } from './fallback.ts';
import { hookStopped } from './hook-stopped.ts';
import { budgetExhausted, type Limits, turnsExhausted } from './limits.ts';
import { errorLine, INTERRUPTED, INTERRUPTED_FOR_TOOL, userTextLine } from './lines.ts';
import { refuseTools, runTools } from './run-tools.ts';
import { runStep } from './step.ts';
import { afterCutCall, decideStop, Patience } from './stop.ts';
import type { NoOutput } from './structured.ts';
import type { Turn } from './turn.ts';

/** Why a turn ended. `agent/result` turns it into the one result line. */
export type TurnEnd =
  | { kind: 'completed' }
  /** A hook did not want it to go on. */
  | { kind: 'hook_stopped'; reason: string }
  /** A hook has left a call to someone outside, who comes back with what came of it. */
  | { kind: 'deferred'; call: ToolUseBlock }
  | { kind: 'max_turns'; maxTurns: number }
  | { kind: 'max_budget'; maxBudgetUsd: number }
  | { kind: 'max_duration'; maxDurationMs: number }
  | { kind: 'interrupted'; during: 'stream' | 'tools' }
  | { kind: 'empty_answer' }
  | NoOutput
  | { kind: 'error_answer'; code: 'refusal' | 'max_output_tokens'; text: string }
  | { kind: 'api_error'; failure: Failure; text: string }
  /** Work in the background had to be stopped after the last turn; no step of the loop ends this way either. */
  | { kind: 'background_stopped'; tasks: StoppedTask[] }
  /** The store or the engine itself failed; no step of the loop ends this way. */
  | { kind: 'broken'; code: string; message: string };

export interface StoppedTask {
  id: string;
  description: string;
  /** The end of what it had said. */
  lastOutput: string;
}

/**
 * One turn: from a recorded user message to a stop.
 *
 *  1 guard    limits, budget, abort
 *  2 compact  if the conversation is near the window
 *  3 step     one model call, streamed
 *  4 stop?    no tool calls, and nothing objects
 *  5 tools    prepare in order, run together where safe, exactly one result per call
 *  6 queue    what the user said meanwhile goes into the next request
 *
 * Yields every line in the order of the wire; what is yielded is already on disk. Never throws for trouble of the model
 * or of a tool; a broken store does throw. An abort ends the turn with `interrupted`, after every call got its result.
 */
export async function* runTurn(turn: Turn, signal: AbortSignal): AsyncGenerator<Message, TurnEnd> {
  const patience = new Patience();
  const room: Attempts = { afterFailure: 0, stepsSince: Number.POSITIVE_INFINITY, failures: 0 };
  for (;;) {
    // 1 guard
    if (signal.aborted) return yield* interrupted(turn, 'stream', signal);
    if (budgetExhausted(turn.limits, turn.ledger.spentUsd)) return overBudget(turn.limits);
    if (turnsExhausted(turn.limits, turn.tally)) return { kind: 'max_turns', maxTurns: turn.limits.maxTurns };

    // 2 compact
    if (contextFull(turn, room)) {
      yield* makeRoom(turn, room, signal);
      continue; // it may have used up the budget, or taken until the user interrupted
    }

    // 3 step
    const step = yield* runStep(turn, signal);
    noteStep(turn, room);
    if (step.kind === 'failed') {
      if (budgetExhausted(turn.limits, turn.ledger.spentUsd)) return overBudget(turn.limits);
      const goesOn =
        (yield* takeFallback(turn, step.failure)) || (yield* makeRoomAfter(turn, step.failure, room, signal));
      if (goesOn) continue;
      return yield* failed(turn, step.failure);
    }

    // 4 stop?
    if (step.kind === 'aborted' && step.calls.length === 0) return yield* interrupted(turn, 'stream', signal);
    if (step.calls.length === 0) {
      const end = yield* decideStop(turn, patience, signal);
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
    if (tools.halted !== null) return yield* hookStopped(turn, tools.halted);
    turn.tally.rounds++;
    const [deferred] = tools.deferred;
    if (deferred) return { kind: 'deferred', call: deferred.block };
    if (turn.summaries) yield (await import('./tool-summary.ts')).toolSummaryLine(turn, step.calls);
    const structured = turn.structured?.afterRound(step.calls) ?? 'go on';
    if (structured === 'done') return { kind: 'completed' };
    if (turn.structured && structured === 'exhausted') return turn.structured.failure(lastSaid(turn.messages));
    const end = yield* afterCutCall(turn, patience);
    if (end) return end;

    // 6 queue
    yield* queued(turn);
  }
}

/** What the user said meanwhile, if another request follows that can carry it: one that continues an answer cannot. */
async function* queued(turn: Turn): AsyncGenerator<Message, void> {
  const isContinued = turn.messages.at(-1)?.role === 'assistant';
  if (!isContinued && !turnsExhausted(turn.limits, turn.tally)) yield* await turn.takeQueued();
}

export function overBudget({ maxBudgetUsd }: { maxBudgetUsd: number }): TurnEnd {
  return { kind: 'max_budget', maxBudgetUsd };
}

/** The request did not fit: the conversation is compacted for it, once in a turn. */
async function* makeRoomAfter(
  turn: Turn,
  failure: Failure,
  room: Attempts,
  signal: AbortSignal,
): AsyncGenerator<Message, boolean> {
  // Right after a compaction, or an attempt at one, another would not help.
  if (failure.class !== 'prompt_too_long' || room.stepsSince <= 1 || room.afterFailure++ > 0) return false;
  return yield* makeRoom(turn, room, signal);
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
  addUserContent(turn.messages, [{ type: 'text', text }]);
  turn.tally.userLines++;
  yield await turn.record(line);
  return end;
}

/** Time limits come as aborts, too. */
export function endOfAbort({ maxDurationMs }: Limits, during: 'stream' | 'tools', signal: AbortSignal): TurnEnd {
  const isLate = signal.aborted && abortReason(signal).kind === 'timeout' && maxDurationMs !== undefined;
  return isLate ? { kind: 'max_duration', maxDurationMs } : { kind: 'interrupted', during };
}

async function* failed(turn: Turn, failure: Failure): AsyncGenerator<Message, TurnEnd> {
  const { error, text } = describeFailure(failure, turn.request.model);
  turn.tally.lastText = text;
  turn.tally.stopReason = 'stop_sequence';
  yield await turn.record(errorLine(turn, error, text));
  return { kind: 'api_error', failure, text };
}
