import type { ContentBlock, ToolResultBlock } from '../wire/content.ts';
import { calledName } from './called-name.ts';
import type { ToolCall } from './run-call.ts';
import type { Turn } from './turn.ts';

/** What hooks have said during the calls of one answer. */
export interface Round {
  /** A hook wants the turn to end: why; empty when it did not say. */
  halted: string | null;
  /** The calls that a hook has left to someone outside. */
  readonly deferred: ToolCall[];
  /** What hooks add for the model, by the call that it is about; null: about all of them. */
  readonly contexts: Map<ToolCall | null, readonly string[]>;
}

export function newRound(): Round {
  return { halted: null, deferred: [], contexts: new Map() };
}

/** Called as soon as a call is prepared or has its outcome, so that after a stop the next one is not even prepared. */
export function noteHooks(round: Round, call: ToolCall, said: HooksSaid): void {
  round.halted ??= said.halt ?? null;
  if (said.deferred) round.deferred.push(call);
  // Before the call, and again after it.
  if (said.contexts) round.contexts.set(call, [...(round.contexts.get(call) ?? []), ...said.contexts]);
}

/** What hooks have said about one call. */
export interface HooksSaid {
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
  if (!hooks || signal.aborted || round.halted !== null) return;
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
