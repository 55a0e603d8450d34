import { isDeepStrictEqual } from 'node:util';
import type { ControlBody, RequestContext } from '../wire/peer.ts';
import type { Session } from './session.ts';

/**
 * Answers an `initialize` behind the first one: how it stands now, and what is still asked. Nothing changes: hooks of the
 * host are protections, and who has lost its place may not know them all. `hooks_applied` says whether those of the
 * request are the ones in force.
 */
export function initializeAgain(
  session: Session,
  { first, request }: { first: ControlBody; request: ControlBody },
  context: RequestContext,
): Record<string, unknown> {
  context.beside({ pending_elicitation_requests: session.pending('elicitation') });
  const { hooks } = request;
  if (hooks === undefined || hooks === null) return session.describe();
  return { ...session.describe(), hooks_applied: isDeepStrictEqual(hooks, first.hooks) };
}
