import type { Failure, FailureClass } from '../model/model.ts';
import type { Message } from '../wire/messages/index.ts';
import { lineIds, systemLine } from './system-line.ts';
import type { Turn } from './turn.ts';

/** Failures that another model may not have. With the others (a bad request, a bad key) it would fail as well. */
const WORTH_IT: ReadonlySet<FailureClass> = new Set(['overloaded', 'server', 'model_not_found']);

/** After this many overloads in a row the turn tries the next model, when there is one. */
export const OVERLOADS_BEFORE_FALLBACK = 3;

/**
 * Switches to the next model for the rest of the turn and yields a line about it. Returns false when there is no other
 * model or it would not help.
 */
export async function* takeFallback(turn: Turn, failure: Failure): AsyncGenerator<Message, boolean> {
  if (!WORTH_IT.has(failure.class)) return false;
  const next = turn.fallbacks.shift();
  if (!next) return false;
  const original = turn.request.model;
  turn.model = next.model;
  turn.request = next.request;
  yield systemLine(lineIds(turn), 'model_fallback', {
    trigger: failure.class,
    original_model: original,
    fallback_model: next.request.model,
    content: `${original} could not answer (${failure.message}); the turn goes on with ${next.request.model}`,
  });
  return true;
}
