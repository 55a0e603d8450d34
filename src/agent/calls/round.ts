import type { ContentBlock, ToolResultBlock } from '../../wire/api/content.ts';
import type { HeddleError } from '../../wire/errors.ts';
import type { Turn } from '../turn.ts';
import { calledName } from './run-call.ts';
import type { SaidOfCall, ToolCall } from './tool-call.ts';
import { afterBatch } from './tool-hooks.ts';

/** State that the calls of one answer collect in addition to their results. */
export interface Round {
  /** An error that ends the turn: all calls get their results first, then the turn fails. */
  broken: HeddleError | null;
  /** The reason of a hook that wants the turn to end; empty when it gave no reason. */
  stoppedByHook: string | null;
  /** The calls that a hook has deferred to the host. */
  readonly deferred: ToolCall[];
  /** Context that hooks add for the model, by call; the key null stands for the whole round. */
  readonly contexts: Map<ToolCall | null, readonly string[]>;
}

export function newRound(): Round {
  return { broken: null, stoppedByHook: null, deferred: [], contexts: new Map() };
}

/** Called as soon as a call is prepared or has its outcome, so that after a stop the next one is not even prepared. */
export function noteSaid(round: Round, call: ToolCall, said: SaidOfCall): void {
  round.broken ??= said.broken ?? null;
  round.stoppedByHook ??= said.stopReason ?? null;
  if (said.deferred) round.deferred.push(call);
  // A call may add contexts twice: before it runs and after.
  if (said.contexts) round.contexts.set(call, [...(round.contexts.get(call) ?? []), ...said.contexts]);
}

/** Fires the hooks for the end of all calls of an answer. */
export async function announceBatch(
  turn: Turn,
  { calls: all, results }: { calls: readonly ToolCall[]; results: ReadonlyMap<ToolCall, ToolResultBlock> },
  round: Round,
  signal: AbortSignal,
): Promise<void> {
  const { hooks } = turn;
  if (!hooks || signal.aborted || round.stoppedByHook !== null || round.broken) return;
  // In the order of the answer, whichever was done first.
  const calls = all.flatMap((call) => {
    const block = results.get(call);
    return block ? [{ name: calledName(turn.tools, call.block), input: call.block.input, block }] : [];
  });
  const { contexts, stop } = await afterBatch(hooks, calls, signal);
  round.contexts.set(null, contexts);
  if (stop) round.stoppedByHook = stop.reason;
}

/**
 * Adds the contexts of hooks after all results, where the API expects them. They are recorded as sent, so that a resume
 * sends the same.
 */
export async function attachContexts(turn: Turn, calls: readonly ToolCall[], round: Round): Promise<ContentBlock[]> {
  const texts = [...calls, null].flatMap((call) => round.contexts.get(call) ?? []);
  if (texts.length > 0) await turn.conversation.attach(texts.map((content) => ({ type: 'hook_context', content })));
  return texts.map((text) => ({ type: 'text', text }));
}
