import { describe, expect, test } from 'vitest';
import { lifecycleLines } from '../../../src/host/link/message-lifecycle.ts';
import { hang, toolUse } from '../../../src/testing/script.ts';
import { parseMessage } from '../../../src/wire/messages/index.ts';
import type { UserInput } from '../../../src/wire/messages/user.ts';
import { type Client, createHouse, kindOf } from '../support.ts';

const FIRST = 'aaaaaaaa-0000-4000-8000-000000000001';
const SECOND = 'aaaaaaaa-0000-4000-8000-000000000002';
const input = (uuid?: string): UserInput => {
  return { type: 'user', message: { role: 'user', content: 'hi' }, ...(uuid && { uuid }) };
};

/** The states that were told of a message. */
const statesOf = (client: Client, uuid: string) => {
  return client
    .of('command_lifecycle')
    .filter(({ command_uuid }) => command_uuid === uuid)
    .map(({ state }) => state);
};

describe('[K26] what becomes of a message', () => {
  test('is a line for each state, with a uuid of its own', () => {
    let count = 0;
    const lines = lifecycleLines(input(FIRST), ['started', 'completed'], () => `id-${++count}`, 's1');
    expect(lines).toEqual([
      { type: 'command_lifecycle', command_uuid: FIRST, state: 'started', uuid: 'id-1', session_id: 's1' },
      { type: 'command_lifecycle', command_uuid: FIRST, state: 'completed', uuid: 'id-2', session_id: 's1' },
    ]);
    for (const line of lines) expect(parseMessage(line)).toMatchObject({ ok: true });
  });

  test('is not told of a message without a uuid', () => {
    expect(lifecycleLines(input(), ['queued'], () => 'id', 's1')).toEqual([]);
  });

  test('[QRY-04] a message that joins a running turn is started and completed in it', async () => {
    const house = createHouse([toolUse('Glob', { pattern: '*' }), 'done']);
    const client = house.connect();
    client.say('go', { uuid: FIRST });
    client.say('and this', { uuid: SECOND });
    const result = await client.result(0);
    await client.until(() => statesOf(client, FIRST).length === 3);
    expect(statesOf(client, SECOND)).toEqual(['queued', 'started', 'completed']);
    expect(statesOf(client, FIRST)).toEqual(['queued', 'started', 'completed']);
    expect(result.user_message_uuids).toEqual([FIRST, SECOND]);
    expect(JSON.stringify(house.model.requests[1]?.messages)).toContain('and this');
    expect(house.model.requests).toHaveLength(2);
  });

  test('commands go through the same states', async () => {
    const client = createHouse([]).connect();
    await client.ask('/cost', { uuid: FIRST });
    await client.until(() => statesOf(client, FIRST).length === 3);
    expect(statesOf(client, FIRST)).toEqual(['queued', 'started', 'completed']);
  });

  test('a message behind an interrupted turn is still answered', async () => {
    const client = createHouse([hang(), 'done']).connect();
    client.say('go', { uuid: FIRST });
    await client.until(() => client.lines.some((line) => kindOf(line) === 'system/init'));
    client.say('then this', { uuid: SECOND });
    await client.control({ subtype: 'interrupt' });
    await client.result(1);
    await client.until(() => statesOf(client, SECOND).length === 3);
    expect(statesOf(client, FIRST)).toEqual(['queued', 'started', 'completed']);
    expect(client.results.map(({ subtype }) => subtype)).toEqual(['error_during_execution', 'success']);
  });
});
