import type { Layer } from '../../permissions/decide.ts';
import type { PermissionDenial } from '../../wire/api/usage.ts';
import type { Message } from '../../wire/messages/index.ts';
import { lineIds, systemLine } from '../system-line.ts';
import type { Turn } from '../turn.ts';
import type { AutomaticDenial } from '../turn-tools.ts';

/**
 * The line that reports an automatic denial to the host, sent before the result of the call. `message` is the text for
 * the model.
 */
export function denialLine(
  turn: Turn,
  { tool_name, tool_use_id }: PermissionDenial,
  { layer, reason }: AutomaticDenial,
  message: string,
): Message {
  const type = REASON_TYPES[layer];
  return systemLine(lineIds(turn), 'permission_denied', {
    tool_name,
    tool_use_id,
    ...(type !== undefined && { decision_reason_type: type }),
    decision_reason: reason,
    message,
  });
}

/**
 * The reference's word for each layer that decides. It has no word for a call that no rule allows when no one can be
 * asked.
 */
const REASON_TYPES: Readonly<Partial<Record<Layer, string>>> = {
  'deny-rule': 'rule',
  'ask-rule': 'rule',
  'protected-path': 'safetyCheck',
  mode: 'mode',
  sandbox: 'sandboxOverride',
  'outside-roots': 'workingDir',
  hook: 'hook',
};
