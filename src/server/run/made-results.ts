import { startFailureLine } from '../../agent/start-failure.ts';
import type { JsonObject } from '../../util/json.ts';

/** The result of a turn that no run will end. */
export function failedResult(
  error: { code: string; message: string },
  about: { sessionId: string; uuid: string; messages: readonly string[] },
): JsonObject {
  const { sessionId, uuid, messages } = about;
  const line = startFailureLine(error, { sessionId, uuid });
  return { ...line, user_message_uuids: [...messages], ...named(messages) } as unknown as JsonObject;
}

/** The result of a turn whose answer was stored, and whose run ended before it could say so. Its costs are not known. */
export function answerResult(
  text: string,
  about: { sessionId: string; uuid: string; messages: readonly string[] },
): JsonObject {
  const { errors: _, error_code: _code, ...line } = failedResult({ code: '', message: '' }, about);
  return { ...line, subtype: 'success', is_error: false, num_turns: 1, result: text, terminal_reason: 'completed' };
}

function named([first]: readonly string[]): JsonObject {
  return first === undefined ? {} : { user_message_uuid: first };
}
