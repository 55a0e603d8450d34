import { expect } from 'vitest';
import { type AnswerLike, reply, text } from '../../src/testing/index.ts';
import { STREAM_BOTH, startCli } from './cli.ts';
import { invalidRequests } from './model-ordeals-run.ts';
import { makePlace } from './place.ts';

/**
 * A conversation that is nearly full, and an API that finds every further request too long: the turn is an error. Returns
 * how many requests it took.
 */
export async function requestsUntilTooLong(tooLong: AnswerLike): Promise<number> {
  const full = reply([text('First.')], { usage: { input_tokens: 190_000 } });
  const place = await makePlace((_request, index) => (index === 0 ? full : tooLong));
  const cli = startCli(STREAM_BOTH, { place });
  cli.say('one');
  await cli.nextResult();
  cli.say('two');
  expect(await cli.nextResult()).toMatchObject({ is_error: true, error_code: 'prompt_too_long' });
  expect(invalidRequests(place)).toEqual([]);
  return place.api.requests.length - 1;
}
