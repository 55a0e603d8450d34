import type { Ask, AskAnswer, AskRequest } from '../agent/gate.ts';
import { ControlError, HeddleError } from '../wire/errors.ts';
import type { Peer } from '../wire/peer.ts';
import { PermissionResult } from '../wire/permissions.ts';
import { firstIssue } from '../wire/schema.ts';

/** Asks the host with `can_use_tool`. Anything but a well-formed allow is a denial (trust P-8). */
export function askOverControl(peer: Peer): Ask {
  return async (request, signal) => {
    try {
      return readAnswer(await peer.call(canUseTool(request), { signal }));
    } catch (error) {
      if (signal.aborted) return { behavior: 'deny', message: 'The question was withdrawn: the turn was interrupted' };
      const message = error instanceof ControlError || error instanceof HeddleError ? error.message : String(error);
      return { behavior: 'deny', message: `Tool permission request failed: ${message}` };
    }
  };
}

function canUseTool({ toolName, input, toolUseId, decision }: AskRequest) {
  return {
    subtype: 'can_use_tool',
    tool_name: toolName,
    input,
    ...(decision.suggestions.length > 0 ? { permission_suggestions: decision.suggestions } : {}),
    ...(decision.blockedPath ? { blocked_path: decision.blockedPath } : {}),
    ...(decision.layer === 'default' ? {} : { decision_reason: decision.reason }),
    tool_use_id: toolUseId,
  };
}

function readAnswer(body: unknown): AskAnswer {
  const parsed = PermissionResult.safeParse(body);
  if (parsed.success) return parsed.data;
  return { behavior: 'deny', message: `Tool permission request failed: ${firstIssue(parsed.error)}` };
}
