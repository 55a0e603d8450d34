import { expect, test } from 'vitest';
import { failureOfError } from '../../src/model/failures.ts';

test('[M-13] a request that is longer than any text can be is too long, not a broken connection', () => {
  const build = () => 'x'.repeat(2 ** 29).concat('x'.repeat(2 ** 29));
  const thrown = (() => {
    try {
      return build();
    } catch (error) {
      return error;
    }
  })();
  expect(thrown).toBeInstanceOf(RangeError);
  expect(failureOfError(thrown, 'api.test')).toEqual({ class: 'prompt_too_long', message: 'Prompt is too long' });
});
