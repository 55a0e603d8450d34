import { createHash } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { HeddleClient, type SequencedMessage } from '../../src/sdk/index.ts';
import { type ScriptedAgent, scriptedAgent } from '../support/scripted-agent.ts';

async function connected(historySize?: number): Promise<{ agent: ScriptedAgent; client: HeddleClient }> {
  const agent = scriptedAgent();
  const client = new HeddleClient(historySize === undefined ? {} : { historySize }, agent.connect);
  onTestFinished(async () => void (await client.disconnect()));
  await client.connect();
  return { agent, client };
}

const sayMany = (agent: ScriptedAgent, count: number, from = 0) => {
  for (let n = from; n < from + count; n++) agent.say({ type: 'novelty', n, text: `${n} `.repeat(n % 7) });
};

/** Resolves when the agent's last line has been read by the client. */
async function arrived(client: HeddleClient, seq: number): Promise<void> {
  const reader = client.subscribe({ from: seq });
  await reader.next();
  await reader.return();
}

async function read(messages: AsyncIterable<SequencedMessage>, count: number): Promise<number[]> {
  const seqs: number[] = [];
  for await (const { seq } of messages) {
    seqs.push(seq);
    if (seqs.length === count) break;
  }
  return seqs;
}

test('[ARC-09] 50 subscribers that come and go at random all see the same', async () => {
  const { agent, client } = await connected();
  const total = 2000;
  const random = seededRandom(7);
  const subscriber = async () => {
    const hash = createHash('sha256');
    let next = 1;
    while (next <= total) {
      const stay = 1 + Math.floor(random() * 400);
      for await (const { seq, message } of client.subscribe({ from: next })) {
        expect(seq).toBe(next);
        hash.update(JSON.stringify(message));
        next = seq + 1;
        if (random() < 0.05) await turn();
        if (seq === total || random() < 1 / stay) break;
      }
      await turn();
    }
    return hash.digest('hex');
  };
  const hashes = Array.from({ length: 50 }, subscriber);
  for (let n = 0; n < total; n += 100) {
    sayMany(agent, 100, n);
    await turn();
  }
  expect(new Set(await Promise.all(hashes)).size).toBe(1);
});

test('a subscriber without a number begins with the oldest message that is kept', async () => {
  const { agent, client } = await connected(10);
  sayMany(agent, 25);
  await arrived(client, 25);
  expect(await read(client.subscribe(), 10)).toEqual([16, 17, 18, 19, 20, 21, 22, 23, 24, 25]);
});

test('a subscriber may wait for a number that is yet to come', async () => {
  const { agent, client } = await connected();
  const later = read(client.subscribe({ from: 3 }), 1);
  sayMany(agent, 3);
  expect(await later).toEqual([3]);
});

test('one who reads too slowly is told where to go on; the others are not held up', async () => {
  const { agent, client } = await connected(10);
  const slow = client.subscribe();
  sayMany(agent, 1);
  expect((await slow.next()).value).toMatchObject({ seq: 1 });
  const quick = read(client.subscribe({ from: 1 }), 100);
  for (let n = 1; n < 100; n++) {
    sayMany(agent, 1, n);
    await turn();
  }
  expect(await quick).toHaveLength(100);
  const fellBehind = { code: 'fell_behind', facts: { wanted: 2, oldest: 91 } };
  await expect(slow.next()).rejects.toMatchObject(fellBehind);
  expect(await slow.next()).toMatchObject({ done: true });
  await expect(client.subscribe({ from: 2 }).next()).rejects.toMatchObject(fellBehind);
  expect(await read(client.subscribe({ from: 91 }), 10)).toHaveLength(10);
});

test('calls of next that do not wait for each other get one message each, in order', async () => {
  const { agent, client } = await connected();
  const reader = client.subscribe();
  const waiting = [reader.next(), reader.next(), reader.next()];
  sayMany(agent, 3);
  expect((await Promise.all(waiting)).map(({ value }) => value?.seq)).toEqual([1, 2, 3]);
});

/** The same numbers each time: a failure can be repeated. */
function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}
