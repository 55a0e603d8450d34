import { isObject, stringField } from '../util/json.ts';
import { ControlError } from '../wire/errors.ts';
import type { ControlBody, RequestContext } from '../wire/peer.ts';
import type { PermissionUpdate } from '../wire/permissions.ts';
import type { Options } from './options.ts';

/** Answers what the agent asks of its host. A throw becomes an error response, which the agent takes as a denial. */
export async function answerHost(options: Options, request: ControlBody, context: RequestContext): Promise<unknown> {
  switch (request.subtype) {
    case 'can_use_tool':
      return askCanUseTool(options, request, context);
    default:
      throw new ControlError(`Unsupported control request subtype: ${request.subtype}`, 'unsupported_request');
  }
}

async function askCanUseTool(options: Options, request: ControlBody, { signal }: RequestContext): Promise<unknown> {
  if (!options.canUseTool) throw new ControlError('This host has no canUseTool callback');
  const blockedPath = stringField(request, 'blocked_path');
  const decisionReason = stringField(request, 'decision_reason');
  const agentID = stringField(request, 'agent_id');
  return options.canUseTool(stringField(request, 'tool_name') ?? '', isObject(request.input) ? request.input : {}, {
    signal,
    toolUseID: stringField(request, 'tool_use_id') ?? '',
    ...(Array.isArray(request.permission_suggestions)
      ? { suggestions: request.permission_suggestions as PermissionUpdate[] }
      : {}),
    ...(blockedPath === undefined ? {} : { blockedPath }),
    ...(decisionReason === undefined ? {} : { decisionReason }),
    ...(agentID === undefined ? {} : { agentID }),
  });
}
