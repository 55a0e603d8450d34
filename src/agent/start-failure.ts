import type { ResultMessage } from '../wire/messages/index.ts';
import { zeroUsage } from './ledger.ts';

/** The result of a run that could not start; there was no turn. */
export function startFailureLine(
  error: { code: string; message: string },
  ids: { sessionId: string; uuid: string },
): ResultMessage {
  return {
    type: 'result',
    subtype: 'error_during_execution',
    duration_ms: 0,
    duration_api_ms: 0,
    is_error: true,
    num_turns: 0,
    stop_reason: null,
    session_id: ids.sessionId,
    total_cost_usd: 0,
    usage: zeroUsage(),
    modelUsage: {},
    permission_denials: [],
    uuid: ids.uuid,
    errors: [error.message],
    error_code: error.code,
    pending_tasks: [],
    user_message_uuids: [],
  };
}
