import { expect, test } from 'vitest';
import { reply, text } from '../../src/testing/script.ts';
import { createHouse } from './support.ts';

test('[K26] what is said while an answer is cut off joins the request that goes on from it', async () => {
  const house = createHouse(({ messages }) => {
    if (messages.length > 1) return 'both';
    client.say('and this');
    return reply([text('half of it')], { stopReason: 'max_tokens' });
  });
  const client = house.connect();
  expect(await client.ask('one')).toMatchObject({ result: 'both' });
  expect(JSON.stringify(house.model.requests[1]?.messages.at(-1))).toContain('and this');
  await client.end();
  expect(client.results).toHaveLength(1);
});
