import { expect, test } from 'vitest';
import { fail } from '../../../src/testing/script.ts';
import { createHouse } from '../support.ts';

test('[B-138] results are counted, and say how many messages still wait', async () => {
  const client = createHouse(() => 'ok').connect();
  for (const prompt of ['one', 'two', 'three']) client.say(prompt);
  await client.result(2);
  const counts = client.results.map(({ result_index, queued_turn_count }) => [result_index, queued_turn_count]);
  expect(counts).toEqual([
    [0, 2],
    [1, 1],
    [2, 0],
  ]);
});

test('[B-140] an error of the API is told with its HTTP status', async () => {
  const client = createHouse([fail(400, 'invalid_request_error', 'no'), 'fine']).connect();
  expect(await client.ask('go')).toMatchObject({ is_error: true, api_error_status: 400 });
  expect(await client.ask('on')).not.toHaveProperty('api_error_status');
});
