import { isObject, type JsonObject, stringField } from '../../util/json.ts';
import { startTimer } from '../../util/timer.ts';
import { HeddleError } from '../../wire/errors.ts';
import type { Courier } from '../ports/courier.ts';
import type { TurnEngine } from '../ports/turn-engine.ts';

export interface AskOptions {
  courier: Courier;
  engine: Pick<TurnEngine, 'wake'>;
  newId: () => string;
}

const ANSWER_MS = 30_000;

/**
 * Sends a control request to a session and resolves with its response. Opens the session where it must be. Rejects with
 * `control_error` (facts: `errorCode`) and `not_answered`.
 */
export async function askSession(
  sessionId: string,
  request: JsonObject,
  { courier, engine, newId }: AskOptions,
): Promise<JsonObject> {
  const connection = `request-${newId()}`;
  let stop = () => {};
  const answer = new Promise<JsonObject>((resolve, reject) => {
    const timer = startTimer(ANSWER_MS, () => reject(notAnswered()));
    const leave = courier.connect(connection, (line) => {
      if (line.type === 'control_response' && isObject(line.response)) resolve(line.response);
    });
    stop = () => {
      clearTimeout(timer);
      leave();
    };
  });
  try {
    const line = { type: 'control_request', request_id: 'own', request };
    const sent = courier.send(sessionId, { from: connection, line }, ANSWER_MS);
    await engine.wake(sessionId);
    if (!(await sent)) throw notAnswered();
    return bodyOf(await answer);
  } finally {
    answer.catch(() => {}); // nobody waits for it any more
    stop();
  }
}

function bodyOf(response: JsonObject): JsonObject {
  if (response.subtype === 'success') return isObject(response.response) ? response.response : {};
  const errorCode = stringField(response, 'error_code') ?? null;
  throw new HeddleError('control_error', stringField(response, 'error') ?? 'The session refused', {
    facts: { errorCode },
  });
}

function notAnswered(): HeddleError {
  const message = `The session has not answered within ${ANSWER_MS / 1000} s: GET it to see its state, and try again`;
  return new HeddleError('not_answered', message, { facts: { retryAfterMs: 1000 } });
}
