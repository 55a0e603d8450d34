import type { Layer } from '../permissions/decide.ts';
import type { Message } from '../wire/messages/index.ts';
import type { PermissionDenial } from '../wire/usage.ts';
import type { Turn } from './turn.ts';

/** What has denied a call that nobody was asked about. */
export interface AutomaticDenial {
  layer: Layer;
  reason: string;
}

/** Tells hosts of such a denial, before the result of the call. `message` is what the model is told. */
export function denialLine(
  turn: Turn,
  { tool_name, tool_use_id }: PermissionDenial,
  { layer, reason }: AutomaticDenial,
  message: string,
): Message {
  const type = REASON_TYPES[layer];
  return {
    type: 'system',
    subtype: 'permission_denied',
    tool_name,
    tool_use_id,
    ...(type !== undefined && { decision_reason_type: type }),
    decision_reason: reason,
    message,
    session_id: turn.sessionId,
    uuid: turn.runtime.ids.uuid(),
  };
}

/** What decided, in the words of the reference, which has none for "nothing allows it, and nobody can be asked". */
const REASON_TYPES: Readonly<Partial<Record<Layer, string>>> = {
  'deny-rule': 'rule',
  'ask-rule': 'rule',
  'protected-path': 'safetyCheck',
  mode: 'mode',
  sandbox: 'sandboxOverride',
  'outside-roots': 'workingDir',
  hook: 'hook',
};
