import { describe, expect, test } from 'vitest';
import { createMemoryStore } from '../../../src/sessions/stores/memory-store.ts';
import { hang, reply, text, toolUse } from '../../../src/testing/script.ts';
import type { Entry } from '../../../src/wire/entries.ts';
import { eventually } from '../../support/processes.ts';
import { type Client, createHouse } from '../support.ts';

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

describe('the place of a message in the queue', () => {
  test('[B-148] now comes before all that waits, later behind it; among equals the first comes first', async () => {
    const house = createHouse([hang()]);
    const client = house.connect();
    client.say('go');
    await eventually(() => house.model.requests.length === 1);
    const priorities = ['later', undefined, 'next', 'now', 'now', 'unheard of'];
    for (const [at, priority] of priorities.entries()) {
      client.say('/cost', { uuid: uuid(at + 1), ...(priority && { priority }) });
    }
    await queued(client, priorities.length);
    expect(await client.control({ subtype: 'interrupt' })).toMatchObject({
      response: { still_queued: [4, 5, 2, 3, 6, 1].map(uuid) },
    });
    await client.end();
    expect(answered(client)).toEqual([4, 5, 2, 3, 6, 1].map(uuid));
  });

  test('[B-148] now joins the running turn before what was said earlier; later waits for a turn of its own', async () => {
    const house = createHouse(async ({ messages }) => {
      if (messages.length > 1) return 'heard';
      client.say('whenever you have time', { priority: 'later', uuid: uuid(1) });
      client.say('said first', { uuid: uuid(2) });
      client.say('said last, but urgent', { priority: 'now', uuid: uuid(3) });
      await queued(client, 3);
      return toolUse('Glob', { pattern: '*' });
    });
    const client = house.connect();
    await client.ask('go');
    await client.end();
    const [, joined, own] = house.model.requests.map(({ messages }) => JSON.stringify(messages));
    expect(joined).toMatch(/said last, but urgent.*said first/);
    expect(joined).not.toContain('whenever');
    expect(own).toContain('whenever');
    expect(client.results).toHaveLength(2);
  });

  test('[B-148, K41] a message for another branch that has time does not interrupt the running turn', async () => {
    const house = createHouse(async ({ messages }) => {
      if (JSON.stringify(messages).includes('elsewhere')) return 'there';
      client.say('elsewhere', { priority: 'later', parentUuid: null, uuid: uuid(1) });
      await queued(client, 1);
      return 'all of it';
    });
    const client = house.connect();
    expect(await client.ask('go')).toMatchObject({ result: 'all of it', terminal_reason: 'completed' });
    expect(await client.result(1)).toMatchObject({ result: 'there' });
    expect(JSON.stringify(house.model.requests[1]?.messages)).not.toContain('go');
  });
});

describe('a message that is not to be answered', () => {
  const silent = { shouldQuery: false };

  test('[B-149] is on disk when it is acknowledged, begins no turn, and is part of the next request', async () => {
    const house = createHouse(['fine']);
    const client = house.connect();
    client.say('the build is red', { ...silent, uuid: uuid(1) });
    await client.until(() => states(client).includes('completed'));
    const sessionId = String(client.of('command_lifecycle')[0]?.session_id);
    expect(users(await house.entries(sessionId))).toMatchObject([{ uuid: uuid(1) }]);
    expect(house.model.requests).toEqual([]);
    expect(client.of('system/init')).toEqual([]);

    expect(await client.ask('why?')).toMatchObject({ result: 'fine', num_turns: 1 });
    expect(house.model.requests).toHaveLength(1);
    expect(house.model.requests[0]?.messages).toHaveLength(1);
    expect(JSON.stringify(house.model.requests[0]?.messages[0])).toMatch(/the build is red.*why\?/);
    const [appended, prompt] = users(await house.entries(sessionId));
    expect(appended).toMatchObject({ parentUuid: null, message: { content: 'the build is red' } });
    expect(prompt).toMatchObject({ parentUuid: uuid(1) });
    await client.end();
    expect(client.results).toHaveLength(1);
  });

  test('[B-149] during a turn it goes with the next request, and makes none by itself', async () => {
    const house = createHouse(async ({ messages }) => {
      const isFirst = messages.length === 1;
      client.say(isFirst ? 'goes along' : 'stays behind', { ...silent, uuid: uuid(isFirst ? 1 : 2) });
      await queued(client, isFirst ? 1 : 2);
      return isFirst ? toolUse('Glob', { pattern: '*' }) : 'done';
    });
    const client = house.connect();
    expect(await client.ask('go')).toMatchObject({ result: 'done', queued_turn_count: 0 });
    await client.end();
    expect(house.model.requests).toHaveLength(2);
    expect(JSON.stringify(house.model.requests[1]?.messages)).toContain('goes along');
    expect(users(await house.entries(client.results[0]?.session_id ?? '')).at(-1)).toMatchObject({ uuid: uuid(2) });
    expect(client.results).toHaveLength(1);
  });

  test('[B-149] a session that ends with one goes on from it', async () => {
    const house = createHouse(['one', 'two']);
    const first = house.connect();
    const { session_id: resume } = await first.ask('go');
    first.say('remember the milk', silent);
    expect(await first.end()).toMatchObject({ code: 0 });
    const second = house.connect({ resume });
    expect(await second.ask('what was it?')).toMatchObject({ result: 'two' });
    const [, , last] = house.model.requests[1]?.messages ?? [];
    expect(JSON.stringify(last)).toMatch(/remember the milk.*what was it\?/);
  });

  test('[B-149] it stands there as it is: no command is carried out, no file is read', async () => {
    const house = createHouse(['fine']);
    house.file('secret.txt', 'the combination is 12345');
    const client = house.connect();
    client.say('/clear', silent);
    client.say('see @secret.txt', silent);
    await client.ask('go');
    const request = JSON.stringify(house.model.requests[0]?.messages);
    expect(request).toMatch(/\/clear.*see @secret\.txt.*go/);
    expect(request).not.toContain('12345');
  });

  test('[B-149] what cannot be kept is told, not acknowledged, and may be sent again', async () => {
    const store = createMemoryStore();
    let isFull = true;
    const append: typeof store.append = async (...entries) => {
      if (isFull) throw new Error('no space left');
      return store.append(...entries);
    };
    const house = createHouse(['fine'], { store: { ...store, append } });
    const client = house.connect();
    client.say('keep this', { ...silent, uuid: uuid(1) });
    await client.until(() => client.of('system/input_error').length === 1);
    expect(client.of('system/input_error')[0]).toMatchObject({ input_uuid: uuid(1) });
    isFull = false;
    client.say('keep this', { ...silent, uuid: uuid(1) });
    await client.until(() => states(client).includes('completed'));
    expect(states(client)).toEqual(['queued', 'queued', 'started', 'completed']);
    await client.ask('go');
    expect(JSON.stringify(house.model.requests[0]?.messages).match(/keep this/g)).toHaveLength(1);
  });
});

const uuid = (n: number) => `aaaaaaaa-0000-4000-8000-00000000000${n}`;

/** What was answered after the first turn, in order. */
function answered({ results }: Client): unknown[] {
  return results.slice(1).flatMap((result) => result.user_message_uuids ?? []);
}

function states(client: Client): unknown[] {
  return client.of('command_lifecycle').map(({ state }) => state);
}

/** Resolves when so many messages are known to wait. */
function queued(client: Client, count: number): Promise<void> {
  return client.until(() => states(client).filter((state) => state === 'queued').length === count);
}

function users(entries: Entry[]): Entry[] {
  return entries.filter(({ type }) => type === 'user');
}
