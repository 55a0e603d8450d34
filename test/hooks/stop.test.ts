import { expect, test } from 'vitest';
import { createHouse } from '../host/support.ts';

/** A session whose Stop callback gives these answers, one after the other; `told` are its inputs. */
async function stopping(script: string[], answers: object[]) {
  const house = createHouse(script);
  const told: unknown[] = [];
  const client = house.connect(
    {},
    {
      answer({ input }) {
        told.push(input);
        return answers[told.length - 1] ?? {};
      },
    },
  );
  await client.control({ subtype: 'initialize', hooks: { Stop: [{ hookCallbackIds: ['hook_0'] }] } });
  return { house, client, told };
}

test('[HK-08, HK-33, HK-34] a Stop hook that blocks has the model go on, and is told that it did so', async () => {
  const script = ['Half of it.', 'All of it.'];
  const { house, client, told } = await stopping(script, [{ decision: 'block', reason: 'The tests fail.' }]);
  expect(await client.ask('go')).toMatchObject({ subtype: 'success', result: 'All of it.', num_turns: 2 });
  expect(JSON.stringify(house.model.requests[1]?.messages.at(-1))).toContain('The tests fail.');
  expect(told).toMatchObject([
    { hook_event_name: 'Stop', stop_hook_active: false },
    { hook_event_name: 'Stop', stop_hook_active: true },
  ]);
});

test('[HK-32, LOOP-12] one that prevents the continuation ends the turn at once, as a success', async () => {
  const answer = { preventContinuation: true, decision: 'block', reason: 'Go on.', stopReason: 'enough' };
  const { house, client, told } = await stopping(['Done.', 'never'], [answer]);
  expect(await client.ask('go')).toMatchObject({
    subtype: 'success',
    is_error: false,
    terminal_reason: 'hook_stopped',
  });
  expect(house.model.requests).toHaveLength(1);
  expect(told).toHaveLength(1);
});
