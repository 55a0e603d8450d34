import { ControlError } from '../wire/errors.ts';

/** A control request whose field is missing or of the wrong kind. */
export function invalidRequest(field: string, expected: string): ControlError {
  return new ControlError(`request.${field} must be ${expected}`, 'invalid_request');
}
