import { type JsonObject, stringField } from '../util/json.ts';
import { HeddleError } from '../wire/errors.ts';

/** The message that a line reports as refused, and the reason; null for any other line. */
export function refusalIn(line: object): { uuid: string; error: HeddleError } | null {
  const { type, subtype } = line as JsonObject;
  const uuid = stringField(line, 'input_uuid');
  if (type !== 'system' || subtype !== 'input_error' || uuid === undefined) return null;
  const errorCode = stringField(line, 'error_code');
  const code = errorCode === 'unknown_parent' ? errorCode : 'invalid_option';
  const message = stringField(line, 'error') ?? 'The message was not taken';
  return { uuid, error: new HeddleError(code, message, { facts: { errorCode } }) };
}

export function takenBack(): HeddleError {
  return new HeddleError('aborted', 'The message was taken back before it was answered');
}
