import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../util/json.ts';
import type { ControlBody, RequestContext } from '../wire/peer.ts';
import { initializeAnswer } from './initialize-answer.ts';
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
  const { hooks, sdkMcpServers, sdkMcpServerManifests } = request;
  const named = Array.isArray(sdkMcpServers) ? sdkMcpServers : [];
  const manifests = isObject(sdkMcpServerManifests) ? Object.keys(sdkMcpServerManifests) : [];
  const known = Array.isArray(first.sdkMcpServers) ? first.sdkMcpServers : [];
  const parked = manifests
    .filter((name) => named.includes(name))
    .map((name) => [name, known.includes(name) ? 'already_connected' : 'not_honoured']);
  return {
    ...initializeAnswer(session.parts, session, request),
    ...(isObject(hooks) && { hooks_applied: isDeepStrictEqual(hooks, first.hooks) }),
    ...(parked.length > 0 && { sdk_mcp_manifests_parked: Object.fromEntries(parked) }),
  };
}
