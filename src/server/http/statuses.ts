import type { ErrorCode, HeddleError } from '../../wire/errors.ts';

/** The HTTP status of each code that the server answers; all others are 500. */
const STATUSES: Partial<Record<ErrorCode, number>> = {
  invalid_request: 400,
  invalid_option: 400,
  invalid_settings: 400,
  cursor_unknown: 400,
  not_authenticated: 401,
  not_permitted: 403,
  wrong_origin: 403,
  not_found: 404,
  session_not_found: 404,
  unknown_question: 404,
  task_not_found: 404,
  not_supported: 404,
  session_exists: 409,
  session_busy: 409,
  session_taken: 409,
  uuid_conflict: 409,
  already_taken: 409,
  already_answered: 409,
  turn_running: 409,
  no_turn: 409,
  nothing_to_continue: 409,
  driver_connected: 409,
  control_error: 409,
  cursor_gone: 410,
  question_withdrawn: 410,
  too_large: 413,
  wrong_host: 421,
  unknown_parent: 422,
  queue_full: 429,
  quota_exceeded: 429,
  not_answered: 504,
  control_timeout: 504,
  draining: 503,
  storage_failed: 503,
  session_unreadable: 500,
};

export function statusOf({ code, facts }: HeddleError): number {
  const { status } = facts;
  return typeof status === 'number' ? status : (STATUSES[code] ?? 500);
}

/** What the client gets of an error. */
export function errorBody(error: HeddleError, requestId: string): { error: Record<string, unknown> } {
  const { status: _, ...facts } = error.facts;
  return { error: { code: error.code, message: error.message, facts, request_id: requestId } };
}

/** After how many seconds the client may try again; null: it need not. */
export function retryAfter({ facts }: HeddleError): string | null {
  const ms = facts.retryAfterMs;
  return typeof ms === 'number' ? String(Math.max(1, Math.ceil(ms / 1000))) : null;
}
