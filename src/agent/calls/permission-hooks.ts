import type { Hooks } from '../../hooks/dispatch.ts';
import type { HookOutcome } from '../../hooks/join-answers.ts';
import { isObject, type JsonObject } from '../../util/json.ts';
import type { PermissionUpdate } from '../../wire/permissions.ts';
import type { AskAnswer, AskRequest } from './ask.ts';
import { serverOf } from './tool-hooks.ts';

/** Asks the PermissionRequest hooks, before the host is asked. Null when none of them decides. */
export async function askHooks(hooks: Hooks, request: AskRequest, signal: AbortSignal): Promise<AskAnswer | null> {
  const { toolName, input, toolUseId, decision } = request;
  const suggestions = decision.suggestions.length > 0 ? { permission_suggestions: decision.suggestions } : {};
  const payload = { tool_name: toolName, tool_input: input, ...suggestions, ...serverOf(request) };
  const { permission, stop } = await hooks.fire('PermissionRequest', payload, signal, toolUseId);
  if (stop) return { behavior: 'deny', message: stop.reason || 'A hook stopped the turn.', stopReason: stop.reason };
  return permission && answerOf(permission);
}

/** Anything but a well-formed allow is a denial, as it is for the host's answers. */
function answerOf({ behavior, message, interrupt, updatedInput, updatedPermissions }: JsonObject): AskAnswer {
  const isWhole =
    (updatedInput === undefined || isObject(updatedInput)) &&
    (updatedPermissions === undefined || (Array.isArray(updatedPermissions) && updatedPermissions.every(isObject)));
  if (behavior === 'allow' && isWhole) {
    return {
      behavior,
      ...(updatedInput !== undefined && { updatedInput: updatedInput as JsonObject }),
      ...(updatedPermissions !== undefined && { updatedPermissions: updatedPermissions as PermissionUpdate[] }),
    };
  }
  const text = typeof message === 'string' && message !== '' ? message : 'A PermissionRequest hook denied this call.';
  return { behavior: 'deny', message: text, interrupt: interrupt === true };
}

/** Notifies hooks that a question waits for an answer. The question does not wait for the hooks. */
export function announceQuestion(hooks: Hooks, { toolName }: AskRequest, signal: AbortSignal): void {
  const message = `Heddle needs your permission to use ${toolName}`;
  void hooks.fire('Notification', { message, notification_type: 'permission_prompt' }, signal);
}

/** Reports an automatic denial to the PermissionDenied hooks. They may let the model try again, or end the turn. */
export async function announceDenial(
  hooks: Hooks,
  denied: { toolName: string; input: JsonObject; toolUseId: string; reason: string; server?: AskRequest['server'] },
  signal: AbortSignal,
): Promise<Pick<HookOutcome, 'retry' | 'stop'>> {
  const { toolName, input, toolUseId, reason } = denied;
  const payload = { tool_name: toolName, tool_input: input, tool_use_id: toolUseId, reason, ...serverOf(denied) };
  return hooks.fire('PermissionDenied', payload, signal);
}
