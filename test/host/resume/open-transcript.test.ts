import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ApiMessage } from '../../../src/model/model.ts';
import type { SessionStore } from '../../../src/sessions/store.ts';
import { createJsonlStore } from '../../../src/sessions/stores/jsonl-store.ts';
import { hang, text, toolUse } from '../../../src/testing/script.ts';
import type { Entry } from '../../../src/wire/entries.ts';
import { faultsOf, flatten, prefixFaults } from '../../agent/support.ts';
import { assistant, call, user } from '../../sessions/support.ts';
import { type Client, createHouse, type House, lastTexts, tempDir } from '../support.ts';

const ID = '5e551000-0000-4000-8000-000000000001';

function idOf(client: Client): string {
  return String(client.of('system/init')[0]?.session_id);
}

function nodes(entries: readonly Entry[]): Entry[] {
  return entries.filter(({ uuid }) => uuid !== undefined);
}

/** Stores a session as another process would have left it. */
async function leave(house: House, entries: Entry[], sessionId = ID): Promise<void> {
  await house.store.append(
    { project: house.dir, sessionId },
    entries.map((entry) => ({ ...entry, sessionId })),
  );
}

function textsOf(messages: readonly ApiMessage[] | undefined): string {
  return flatten(messages ?? []).join('\n');
}

describe('a new session', () => {
  test('[SES-02, S-4] is one chain, from the prompt to the last answer', async () => {
    const house = createHouse([[text('Well.'), toolUse('Glob', { pattern: '*' })], 'done', 'more']);
    const client = house.connect();
    await client.ask('1');
    await client.ask('2');
    const chain = nodes(await house.entries(idOf(client)));
    expect(chain.map(({ type }) => type)).toEqual([
      ...['user', 'attachment', 'assistant', 'assistant', 'user', 'assistant'],
      ...['user', 'assistant'],
    ]);
    expect(chain.map(({ parentUuid }) => parentUuid)).toEqual([null, ...chain.slice(0, -1).map(({ uuid }) => uuid)]);
    for (const entry of chain) {
      expect(entry).toMatchObject({ sessionId: idOf(client), cwd: house.dir, version: '2.1.44', isSidechain: false });
    }
  });

  test('a given id is used; one that is in use is refused', async () => {
    const house = createHouse(['one']);
    const client = house.connect({ sessionId: ID });
    await client.ask('go');
    expect(idOf(client)).toBe(ID);
    const second = house.connect({ sessionId: ID });
    expect(await second.end()).toMatchObject({ code: 1, stderr: expect.stringContaining('already in use') });
    expect(second.lines).toEqual([]);
  });

  test('an id that a session of another directory has is refused: one of the two would be hidden', async () => {
    const house = createHouse(['one']);
    await house.connect({ sessionId: ID }).ask('go');
    const elsewhere = house.connect({ sessionId: ID }, { cwd: tempDir() });
    const { code, stderr } = await elsewhere.end();
    expect(code).toBe(1);
    expect(stderr).toContain(`Session ID ${ID} is already in use, by a session of another directory`);
    expect(stderr).toContain(`--resume ${ID}`);
    expect(elsewhere.lines).toEqual([]);
  });

  test('without persistence nothing is written', async () => {
    const house = createHouse(['one', 'two']);
    const client = house.connect({ noSessionPersistence: true });
    await client.ask('1');
    await client.ask('2');
    expect(await house.store.list(house.dir)).toEqual([]);
    expect(prefixFaults(house.model.requests)).toEqual([]);
  });

  test('[K35] the branch that is checked out is in every entry, `HEAD` where there is none', async () => {
    const house = createHouse(['one', 'two']);
    const plain = house.connect();
    await plain.ask('go');
    mkdirSync(join(house.dir, '.git'));
    writeFileSync(join(house.dir, '.git/HEAD'), 'ref: refs/heads/feature/x\n');
    const inside = house.connect();
    await inside.ask('go');
    const branch = async (client: Client) =>
      new Set(nodes(await house.entries(idOf(client))).map(({ gitBranch }) => gitBranch));
    expect([...(await branch(plain))]).toEqual(['HEAD']);
    expect([...(await branch(inside))]).toEqual(['feature/x']);
    expect(lastTexts(house.model.requests[1]).join()).toContain('Git branch: feature/x');
  });
});

describe('resume', () => {
  test('[OPT-27, SES-39, SEQ-07] goes on with the same id, the past, and the same chain', async () => {
    const house = createHouse([[text('Well.'), toolUse('Glob', { pattern: '*' })], 'one', 'two']);
    const first = house.connect();
    await first.ask('1');
    await first.end();
    const second = house.connect({ resume: idOf(first) });
    await second.ask('2');
    expect(idOf(second)).toBe(idOf(first));
    expect(prefixFaults(house.model.requests)).toEqual([]);
    expect(faultsOf(house.model.requests[2]?.messages)).toEqual([]);
    const chain = nodes(await house.entries(idOf(first)));
    expect(chain.map(({ parentUuid }) => parentUuid)).toEqual([null, ...chain.slice(0, -1).map(({ uuid }) => uuid)]);
  });

  test('[OPT-08] continue takes the newest session of the directory', async () => {
    const house = createHouse((request) => `re: ${lastTexts(request)[0]}`);
    for (const word of ['older', 'newer']) {
      const client = house.connect();
      await client.ask(word);
      await client.end();
    }
    const client = house.connect({ continue: true });
    await client.ask('next');
    expect(textsOf(house.model.requests[2]?.messages)).toContain('newer');
    expect(textsOf(house.model.requests[2]?.messages)).not.toContain('older');
  });

  test('[OPT-08] continue where there is none begins a new one', async () => {
    const house = createHouse(['one']);
    expect(await house.connect({ continue: true }).ask('go')).toMatchObject({ result: 'one' });
  });

  test('[OPT-28] resume-at forgets what came later, and branches off there', async () => {
    const house = createHouse(['one', 'two', 'three']);
    const first = house.connect();
    await first.ask('1');
    const at = String(first.of('assistant')[0]?.uuid);
    await first.ask('2');
    await first.end();
    const client = house.connect({ resume: idOf(first), resumeSessionAt: at });
    await client.ask('3');
    const sent = textsOf(house.model.requests[2]?.messages);
    expect(sent).toContain('"one"');
    expect(sent).not.toContain('"two"');
    const branches = nodes(await house.entries(idOf(first))).filter(({ parentUuid }) => parentUuid === at);
    expect(branches).toHaveLength(2);
  });

  test.each([
    ['an unknown session', { resume: ID }, 'No conversation found with session ID'],
    ['an unknown message', { resume: 'known', resumeSessionAt: ID }, 'No message found'],
  ])('%s is a lone result that says so', async (_what, config, words) => {
    const house = createHouse(['one']);
    const known = house.connect();
    await known.ask('1');
    const resume = config.resume === 'known' ? idOf(known) : config.resume;
    await known.end();
    const client = house.connect({ ...config, resume });
    expect(await client.end()).toMatchObject({ code: 1 });
    expect(client.results).toMatchObject([
      { errors: [expect.stringContaining(words)], error_code: 'session_not_found' },
    ]);
  });

  test.each([
    [{ resume: true as const }, 'needs a session ID'],
    [{ resume: 'not a uuid' }, 'not a uuid'],
    [{ continue: true, sessionId: ID }, '--fork-session'],
  ])('%j is a usage error', async (config, words) => {
    const house = createHouse(['one']);
    await house.connect().ask('1');
    expect(await house.connect(config).end()).toMatchObject({ code: 1, stderr: expect.stringContaining(words) });
  });

  test('[K35, FLD-25] what the session has cost is kept, one entry a turn, and counted on', async () => {
    const house = createHouse(['one', 'two']);
    const first = house.connect({ model: 'haiku' });
    const spent = await first.ask('1');
    await first.end();
    const second = await house.connect({ model: 'haiku', resume: idOf(first) }).ask('2');
    expect(second.total_cost_usd).toBeCloseTo(2 * spent.total_cost_usd, 12);
    expect((await house.entries(idOf(first))).filter(({ type }) => type === 'cost-state')).toHaveLength(2);
  });

  test('without persistence the past is read and nothing is added', async () => {
    const house = createHouse(['one', 'two']);
    const first = house.connect();
    await first.ask('1');
    const before = await house.entries(idOf(first));
    await house.connect({ resume: idOf(first), noSessionPersistence: true }).ask('2');
    expect(textsOf(house.model.requests[1]?.messages)).toContain('"one"');
    expect(await house.entries(idOf(first))).toEqual(before);
  });
});

describe('fork', () => {
  test('[S-26, K30, OPT-15] the copy has the new id, the source is not touched', async () => {
    const house = createHouse(['one', 'two']);
    const first = house.connect();
    await first.ask('1');
    const before = await house.entries(idOf(first));
    const fork = house.connect({ resume: idOf(first), forkSession: true });
    await fork.ask('2');
    expect(idOf(fork)).not.toBe(idOf(first));
    expect(await house.entries(idOf(first))).toEqual(before);
    const copied = nodes(await house.entries(idOf(fork)));
    expect(copied.every(({ sessionId }) => sessionId === idOf(fork))).toBe(true);
    expect(copied.slice(0, 3).map(({ uuid }) => uuid)).toEqual(nodes(before).map(({ uuid }) => uuid));
    expect(prefixFaults(house.model.requests)).toEqual([]);
  });

  test('[S-26, OPT-15] a file stays byte for byte what it was', async () => {
    const home = tempDir();
    const store: SessionStore = createJsonlStore({ home, log: () => {} });
    const house = createHouse(['one', 'two'], { store });
    const first = house.connect();
    await first.ask('1');
    const path = String(store.locate?.({ project: house.dir, sessionId: idOf(first) }));
    const before = readFileSync(path, 'utf8');
    const fork = house.connect({ resume: idOf(first), forkSession: true });
    await fork.ask('2');
    expect(readFileSync(path, 'utf8')).toBe(before);
    await store.close?.();
  });

  test('a fork may choose its id, and branch off earlier', async () => {
    const house = createHouse(['one', 'two', 'three']);
    const first = house.connect();
    await first.ask('1');
    const at = String(first.of('assistant')[0]?.uuid);
    await first.ask('2');
    const fork = house.connect({ resume: idOf(first), forkSession: true, sessionId: ID, resumeSessionAt: at });
    await fork.ask('3');
    expect(idOf(fork)).toBe(ID);
    expect(JSON.stringify(await house.entries(ID))).not.toContain('"two"');
  });
});

describe('calls that were never answered', () => {
  const torn = [
    user('u1', 'go'),
    assistant('a1', [{ type: 'text', text: 'Well.' }, call('toolu_1')], { parent: 'u1' }),
  ];

  test('[S-7, S-8] are answered as interrupted, once and for good, and not run', async () => {
    const house = createHouse(['one', 'two']);
    await leave(house, torn);
    for (const turn of [1, 2]) {
      const client = house.connect({ resume: ID });
      await client.ask(`turn ${turn}`);
      await client.end();
      const results = (await house.entries(ID)).filter((entry) => JSON.stringify(entry).includes('"tool_result"'));
      expect(results).toMatchObject([{ parentUuid: 'a1', sourceToolAssistantUUID: 'a1' }]);
    }
    expect(house.model.requests.flatMap(({ messages }) => faultsOf(messages))).toEqual([]);
    expect(textsOf(house.model.requests[0]?.messages)).toContain('Well.');
    expect(prefixFaults(house.model.requests)).toEqual([]);
  });

  test('[S-7] are left alone on disk without persistence', async () => {
    const house = createHouse(['one']);
    await leave(house, torn);
    await house.connect({ resume: ID, noSessionPersistence: true }).ask('go');
    expect(await house.entries(ID)).toHaveLength(2);
    expect(faultsOf(house.model.requests[0]?.messages)).toEqual([]);
  });

  test('[S-2, S-6] a session that was stopped in its middle goes on as valid as before', async () => {
    const house = createHouse([[text('Well.'), toolUse('Bash', { command: 'sleep 30' })], 'fine']);
    const first = house.connect();
    first.say('go');
    await first.until(() => first.of('assistant').length === 2);
    await first.close();
    await first.end();
    const second = house.connect({ resume: idOf(first) });
    await second.ask('again');
    expect(textsOf(house.model.requests[1]?.messages)).toContain('Well.');
    expect(faultsOf(house.model.requests[1]?.messages)).toEqual([]);
  });

  test('[K15] damage is said aloud', async () => {
    const house = createHouse(['fine']);
    await leave(house, [user('u1', 'go'), assistant('a1', 'one', { parent: 'lost' })]);
    await house.connect({ resume: ID }).ask('next');
    expect(house.logs).toContainEqual({ level: 'warn', message: expect.stringContaining('damaged') });
  });
});

describe('the environment reminder', () => {
  function attachments(entries: readonly Entry[]): Entry[] {
    return entries.filter(({ type }) => type === 'attachment');
  }

  test('[K35] is recorded as sent, once', async () => {
    const house = createHouse(['one', 'two', 'three']);
    const first = house.connect();
    await first.ask('1');
    await first.ask('2');
    await first.end();
    await house.connect({ resume: idOf(first) }).ask('3');
    const [only, ...others] = attachments(await house.entries(idOf(first)));
    expect(others).toEqual([]);
    const sent = lastTexts(house.model.requests[0]);
    expect(only).toMatchObject({ attachment: { type: 'environment', content: sent[1] } });
    expect(sent).toHaveLength(2);
    expect(sent[1]).toContain(`Working directory: ${house.dir}`);
    expect(lastTexts(house.model.requests[1])).toEqual(['2']);
    expect(lastTexts(house.model.requests[2])).toEqual(['3']);
  });

  test('[K35] is sent again when the day has changed', async () => {
    let now = Date.parse('2026-01-31T12:00:00');
    const clock = { now: () => now, sleep: () => Promise.resolve() };
    const house = createHouse(['one', 'two', 'three'], { clock });
    const client = house.connect();
    await client.ask('1');
    now += 24 * 3600 * 1000;
    await client.ask('2');
    await client.ask('3');
    expect(lastTexts(house.model.requests[0])[1]).toContain('Date: 2026-01-31');
    expect(lastTexts(house.model.requests[1])[1]).toContain('Date: 2026-02-01');
    expect(lastTexts(house.model.requests[2])).toEqual(['3']);
    expect(attachments(await house.entries(idOf(client)))).toHaveLength(2);
    expect(prefixFaults(house.model.requests)).toEqual([]);
  });
});

describe("the plan's name", () => {
  test('is in the envelope from the first file tool on, and stays over a resume', async () => {
    const house = createHouse([toolUse('Read', { file_path: 'a.txt' }), 'done', 'more']);
    house.file('a.txt', 'x');
    const first = house.connect();
    await first.ask('1');
    await first.end();
    await house.connect({ resume: idOf(first) }).ask('2');
    const slugs = nodes(await house.entries(idOf(first))).map(({ slug }) => slug);
    const name = slugs.at(-1);
    expect(name).toMatch(/^[a-z]+-[a-z]+-[a-z]+$/);
    expect(slugs).toEqual([undefined, undefined, undefined, name, name, name, name]);
  });

  test('is not given when no file was touched', async () => {
    const house = createHouse([toolUse('Bash', { command: 'true' }), 'done']);
    const client = house.connect();
    await client.ask('1');
    expect(nodes(await house.entries(idOf(client))).every(({ slug }) => slug === undefined)).toBe(true);
  });
});

test('[S-5] a session can be resumed as soon as its id was told', async () => {
  const house = createHouse([hang(), 'fine']);
  const first = house.connect();
  first.say('go');
  await first.until(() => first.of('system/init').length === 1);
  await first.close();
  const second = house.connect({ resume: idOf(first) });
  expect(await second.ask('again')).toMatchObject({ result: 'fine' });
  expect(textsOf(house.model.requests[1]?.messages)).toContain('"go"');
});
