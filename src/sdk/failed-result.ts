import { kindOf } from '../util/checks.ts';
import { isObject, type JsonObject } from '../util/json.ts';
import { badOption } from '../wire/check-named.ts';
import { HeddleError } from '../wire/errors.ts';
import type { ResultMessage } from '../wire/messages/result.ts';
import type { SDKResultMessage, SDKResultSuccess } from '../wire/messages/sdk.ts';

/**
 * A turn that ended in an error, for programs that prefer to catch: `successOf`, `ask` and `textStream` throw it.
 * `subtype`, `status` and `reason` come from the result, which is in `result`.
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
  /** The HTTP status of the model's API, for an API error. */
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
 * The result, when its turn succeeded. Throws FailedResultError otherwise, also for an answer that is the text of an
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

/** The error for a value that is not a result: another message, or `run.result` before the end. */
function noResult(raw: unknown): HeddleError {
  const what = isObject(raw) && typeof raw.type === 'string' ? `a message of the type '${raw.type}'` : kindOf(raw);
  return badOption(
    'result',
    `successOf takes a result, got ${what}: if (message.type === 'result') successOf(message)`,
  );
}

/** A successful result: a requested output is set. */
export type SuccessfulResult<Output = unknown> = SDKResultSuccess<Output> & { structured_output: Output };
