import { expect, onTestFinished, test } from 'vitest';
import type { ClientOptions, HeddleClient, SDKMessage, SDKUserMessage } from '../../src/sdk/index.ts';
import { hang, reply, text } from '../../src/testing/index.ts';
import { sdk } from '../support/built.ts';
import { kindOf, type Line } from '../support/lines.ts';
import { makePlace, type Place } from '../support/place.ts';
import { eventually, isAlive } from '../support/processes.ts';

async function connected(place: Place, options: ClientOptions = {}): Promise<HeddleClient> {
  const client = new sdk.HeddleClient({ cwd: place.cwd, env: place.env, ...options });
  onTestFinished(async () => void (await client.disconnect()));
  await client.connect();
  return client;
}

async function collect(messages: AsyncIterable<SDKMessage>): Promise<Line[]> {
  const seen: Line[] = [];
  for await (const message of messages) seen.push(message as unknown as Line);
  return seen;
}

test('[CNT-05, CNT-06, CNT-07] two queries in one process, read as a whole and one by one', async () => {
  const place = await makePlace(['First.', 'Second.']);
  const client = await connected(place);
  const all = collect(client.receiveMessages());
  const pid = client.pid ?? 0;
  for (const answer of ['First.', 'Second.']) {
    await client.query('next');
    const response = await collect(client.receiveResponse());
    expect(response.map(kindOf)).toEqual(['system/init', 'assistant', 'result/success']);
    expect(response.at(-1)).toMatchObject({ result: answer });
  }
  expect(client.pid).toBe(pid);
  expect(await client.disconnect()).toMatchObject({ code: 0 });
  expect(isAlive(pid)).toBe(false);
  expect((await all).filter(({ type }) => type === 'result').map(({ result }) => result)).toEqual([
    'First.',
    'Second.',
  ]);
});

test('[CNT-04] a stream of prompts, given with connect', async () => {
  const place = await makePlace(['First.']);
  const client = new sdk.HeddleClient({ cwd: place.cwd, env: place.env });
  onTestFinished(async () => void (await client.disconnect()));
  async function* prompts(): AsyncGenerator<SDKUserMessage, void> {
    yield { type: 'user', message: { role: 'user', content: 'hi' }, parent_tool_use_id: null, session_id: '' };
  }
  await client.connect(prompts());
  expect((await collect(client.receiveResponse())).at(-1)).toMatchObject({ result: 'First.' });
});

test('[CNT-15] disconnect in the middle of a turn ends the process', async () => {
  const place = await makePlace([hang()]);
  const client = await connected(place);
  const reading = collect(client.receiveMessages());
  await client.query('go');
  await eventually(() => place.api.requests.length === 1);
  const pid = client.pid ?? 0;
  await client.disconnect();
  expect(isAlive(pid)).toBe(false);
  await reading;
});

test('[CNT-14, CNT-09] server info, and an interrupt that leaves the client usable', async () => {
  const place = await makePlace([hang(), 'Second.']);
  const client = await connected(place);
  expect(await client.getServerInfo()).toMatchObject({
    pid: client.pid,
    capabilities: expect.arrayContaining(['end_input']),
  });
  await client.query('one');
  await eventually(() => place.api.requests.length === 1);
  await client.interrupt();
  expect((await collect(client.receiveResponse())).at(-1)).toMatchObject({ subtype: 'error_during_execution' });
  await client.query('two');
  expect((await collect(client.receiveResponse())).at(-1)).toMatchObject({ result: 'Second.' });
});

test('[ARC-09] who subscribes late catches up, message by message', async () => {
  const pieces = Array.from({ length: 100 }, (_, at) => `${at} `);
  const place = await makePlace([reply([text(...pieces)])]);
  const client = await connected(place, { includePartialMessages: true });
  await client.query('go');
  const live = (await collect(client.receiveResponse())).map(kindOf);
  const late: string[] = [];
  for await (const { seq, message } of client.subscribe({ from: 1 })) {
    expect(seq).toBe(late.length + 1);
    late.push(kindOf(message as unknown as Line));
    if (message.type === 'result') break;
  }
  expect(late).toEqual(live);
  expect(late.filter((kind) => kind === 'content_block_delta')).toHaveLength(100);
  const { value: first } = await client.subscribe().next();
  expect(first).toMatchObject({ seq: 1 });
});

test('[K16] the name of the reference is the same class', () => {
  expect(sdk.ClaudeSdkClient).toBe(sdk.HeddleClient);
});
