import type { ContentBlock, ToolResultBlock } from '../wire/content.ts';
import type { HeddleError } from '../wire/errors.ts';
import { calledName } from './called-name.ts';
import type { ToolCall } from './run-call.ts';
import type { Turn } from './turn.ts';

/** What has come up during the calls of one answer, beside their results. */
export interface Round {
  /** No turn can go on with this: its calls get their results, and then it fails. */
  broken: HeddleError | null;
  /** A hook wants the turn to end: why; empty when it did not say. */
  halted: string | null;
  /** The calls that a hook has left to someone outside. */
  readonly deferred: ToolCall[];
  /** What hooks add for the model, by the call that it is about; null: about all of them. */
  readonly contexts: Map<ToolCall | null, readonly string[]>;
}

export function newRound(): Round {
  return { broken: null, halted: null, deferred: [], contexts: new Map() };
}

/** Called as soon as a call is prepared or has its outcome, so that after a stop the next one is not even prepared. */
export function noteSaid(round: Round, call: ToolCall, said: SaidOfCall): void {
  round.broken ??= said.broken ?? null;
  round.halted ??= said.halt ?? null;
  if (said.deferred) round.deferred.push(call);
  // Before the call, and again after it.
  if (said.contexts) round.contexts.set(call, [...(round.contexts.get(call) ?? []), ...said.contexts]);
}

/** What hooks have said about one call, and what it has shown about the program. */
export interface SaidOfCall {
  broken?: HeddleError;
  contexts?: readonly string[];
  halt?: string;
  deferred?: true;
}

/** Tells hooks that all calls of the answer are done. */
export async function tellBatch(
  turn: Turn,
  { calls: all, results }: { calls: readonly ToolCall[]; results: ReadonlyMap<ToolCall, ToolResultBlock> },
  round: Round,
  signal: AbortSignal,
): Promise<void> {
  const { hooks } = turn;
  if (!hooks || signal.aborted || round.halted !== null || round.broken) return;
  const { afterBatch } = await import('./tool-hooks.ts');
  // In the order of the answer, whichever was done first.
  const calls = all.flatMap((call) => {
    const block = results.get(call);
    return block ? [{ name: calledName(turn, call.block), input: call.block.input, block }] : [];
  });
  const { contexts, stop } = await afterBatch(hooks, calls, signal);
  round.contexts.set(null, contexts);
  if (stop) round.halted = stop.reason;
}

/** What hooks add stands behind all results, as the API wants them; recorded as sent, so that a resume sends the same. */
export async function attachContexts(turn: Turn, calls: readonly ToolCall[], round: Round): Promise<ContentBlock[]> {
  const texts = [...calls, null].flatMap((call) => round.contexts.get(call) ?? []);
  if (texts.length > 0) await turn.attach(texts.map((content) => ({ type: 'hook_context', content })));
  return texts.map((text) => ({ type: 'text', text }));
}
