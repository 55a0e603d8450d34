import type { Failure, FailureClass } from '../model/model.ts';
import type { Message } from '../wire/messages/index.ts';
import type { Turn } from './turn.ts';

/** What another model may do better. The rest (a bad request, a bad key) it would fail at, too. */
const WORTH_IT: ReadonlySet<FailureClass> = new Set(['overloaded', 'server', 'model_not_found']);

/** After this many overloads in a row the next model is tried, when there is one (ruling K17). */
export const OVERLOADS_BEFORE_FALLBACK = 3;

/** Goes on with the next model for the rest of the turn and says so. False: there is none, or it would not help. */
export async function* takeFallback(turn: Turn, failure: Failure): AsyncGenerator<Message, boolean> {
  if (!WORTH_IT.has(failure.class)) return false;
  const next = turn.fallbacks.shift();
  if (!next) return false;
  const original = turn.request.model;
  turn.model = next.model;
  turn.request = next.request;
  yield {
    type: 'system',
    subtype: 'model_fallback',
    trigger: failure.class,
    original_model: original,
    fallback_model: next.request.model,
    content: `${original} could not answer (${failure.message}); the turn goes on with ${next.request.model}`,
    session_id: turn.sessionId,
    uuid: turn.runtime.ids.uuid(),
  };
  return true;
}
