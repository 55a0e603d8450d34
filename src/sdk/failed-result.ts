import { kindOf } from '../util/checks.ts';
import { isObject, type JsonObject } from '../util/json.ts';
import { badOption } from '../wire/check-named.ts';
import { HeddleError } from '../wire/errors.ts';
import type { ResultMessage } from '../wire/messages/result.ts';
import type { SDKResultMessage, SDKResultSuccess } from '../wire/messages/sdk.ts';

/**
 * A turn that ended in an error, for those who would rather catch than look: `successOf`, `ask` and `textStream` throw it.
 * `subtype`, `status` and `reason` are the result's own; the whole of it is in `result`.
 *
 * @example
 * ```ts
 * try {
 *   console.log(successOf(await prompt('hello')).result);
 * } catch (error) {
 *   if (error instanceof FailedResultError) console.error(error.subtype, error.status, error.reason);
 * }
 * ```
 */
export class FailedResultError extends HeddleError {
  override name = 'FailedResultError';
  readonly subtype: ResultMessage['subtype'];
  /** The HTTP status of the model's API, where that was the trouble. */
  readonly status: number | null;
  /** `terminal_reason` of the result: `api_error`, `max_turns`, … */
  readonly reason: string | undefined;
  readonly result: ResultMessage;

  constructor(result: ResultMessage) {
    const { subtype, api_error_status: status = null, terminal_reason: reason, error_code, errors } = result;
    super('failed_result', errors?.join('\n') || result.result || subtype, {
      facts: { subtype, status, reason, errorCode: error_code, sessionId: result.session_id },
    });
    this.subtype = subtype;
    this.status = status;
    this.reason = reason;
    this.result = result;
  }
}

/**
 * The result, when its turn has succeeded. Throws FailedResultError otherwise, also for an answer that is the text of an
 * API error.
 *
 * @example
 * ```ts
 * for await (const message of query({ prompt: 'hello' })) {
 *   if (message.type === 'result') console.log(successOf(message).result);
 * }
 * ```
 */
export function successOf<Output = unknown>(
  result: SDKResultMessage<Output> | ResultMessage,
): SuccessfulResult<Output> {
  if ((result as unknown as JsonObject | undefined)?.type !== 'result') throw noResult(result);
  if (result.subtype !== 'success' || result.is_error) throw new FailedResultError(result);
  return result as SuccessfulResult<Output>;
}

/** Asked of another message, or of a run that has none: `run.result` before the end. */
function noResult(given: unknown): HeddleError {
  const what =
    isObject(given) && typeof given.type === 'string' ? `a message of the type '${given.type}'` : kindOf(given);
  return badOption(
    'result',
    `successOf takes a result, got ${what}: if (message.type === 'result') successOf(message)`,
  );
}

/** A result that is no error: an output that was asked for is there. */
export type SuccessfulResult<Output = unknown> = SDKResultSuccess<Output> & { structured_output: Output };
