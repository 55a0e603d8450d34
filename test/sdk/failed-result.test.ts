import { expect, test } from 'vitest';
import { FailedResultError, HeddleError, type ResultMessage, successOf } from '../../src/sdk/index.ts';
import { RESULT } from '../support/scripted-agent.ts';

const fine = { ...RESULT, result: 'Looms.' } as unknown as ResultMessage;

function thrownBy(changes: object): FailedResultError {
  try {
    successOf({ ...fine, ...changes } as ResultMessage);
  } catch (error) {
    if (error instanceof FailedResultError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

test('[B-252] a result of a turn that succeeded is handed on', () => {
  expect(successOf(fine)).toBe(fine);
});

test('[B-252] a limit is an error with the subtype and the reason of the result', () => {
  const limit = { subtype: 'error_max_turns', is_error: true, errors: ['Too far.'], terminal_reason: 'max_turns' };
  const error = thrownBy(limit);
  expect(error).toMatchObject({ code: 'failed_result', message: 'Too far.', subtype: 'error_max_turns' });
  expect(error).toMatchObject({ status: null, reason: 'max_turns', result: { errors: ['Too far.'] } });
  expect(HeddleError.isInstance(error)).toBe(true);
});

test('[B-252, K24] an answer that is the text of an API error is one, too, with the status of the API', () => {
  const facts = { is_error: true, result: 'API Error: 529', api_error_status: 529, error_code: 'overloaded' };
  const error = thrownBy({ ...facts, terminal_reason: 'api_error' });
  expect(error).toMatchObject({ subtype: 'success', status: 529, reason: 'api_error', message: 'API Error: 529' });
  expect(error.facts).toMatchObject({ errorCode: 'overloaded', sessionId: fine.session_id });
});
