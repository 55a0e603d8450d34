import { mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { importSessionToStore } from '../../src/sdk/index.ts';
import type { SessionKey, SessionStore } from '../../src/sessions/store.ts';
import { createJsonlStore } from '../../src/sessions/stores/jsonl-store.ts';
import { createMemoryStore } from '../../src/sessions/stores/memory-store.ts';
import type { Entry } from '../../src/wire/entries.ts';
import { PROJECT, sessionHome, title } from '../sessions/session-home.ts';
import { assistant, collect, tempDir, user } from '../sessions/support.ts';

const entries: Entry[] = [
  user('u1', 'hello', { cwd: PROJECT, odd: { key: ['kept'] } }),
  assistant('a1', 'hi', { parent: 'u1' }),
  title('A title'),
  user('u2', 'go on', { parent: 'a1' }),
  assistant('a2', 'done', { parent: 'u2' }),
];
const agentEntries = [user('x1', 'look', { isSidechain: true }), assistant('x2', 'seen', { parent: 'x1' })];

/** A stored session with a damaged line and a subagent. */
function stored() {
  const { home, session } = sessionHome();
  const { sessionId, path } = session([...entries.slice(0, 2), '{"type":"user","mess\n', ...entries.slice(2)]);
  const folder = join(path.replace('.jsonl', ''), 'subagents');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'agent-a7.jsonl'), agentEntries.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
  return { home, path, sessionId, key: { project: PROJECT, sessionId } };
}

/** A store that notes what is appended in one go. */
function noting(store = createMemoryStore()) {
  const appends: [key: SessionKey, count: number][] = [];
  const append: SessionStore['append'] = async (key, group) => {
    appends.push([key, group.length]);
    await store.append(key, group);
  };
  return { store: { ...store, append }, appends };
}

test('[B-101] a session and its subagents are copied verbatim, in batches, and the source stays', async () => {
  const { home, path, sessionId, key } = stored();
  const before = readFileSync(path, 'utf8');
  const { store, appends } = noting();
  const imported = await importSessionToStore(sessionId, store, { home, batchSize: 2 });
  expect((await collect(store.load(key))).entries).toEqual(entries);
  expect((await collect(store.load({ ...key, agentId: 'a7' }))).entries).toEqual(agentEntries);
  expect(appends).toEqual([
    [key, 2],
    [key, 2],
    [key, 1],
    [{ ...key, agentId: 'a7' }, 2],
  ]);
  expect(imported).toEqual({
    entries: 7,
    subagents: ['a7'],
    damage: [{ path, line: 3, reason: expect.any(String), bytes: expect.any(Number) }],
  });
  expect(readFileSync(path, 'utf8')).toBe(before);
});

test('[B-101] by default 500 entries go at once; subagents can stay behind, and dir says where it belongs', async () => {
  const { home, sessionId } = stored();
  const dir = realpathSync(tempDir());
  const { store, appends } = noting();
  await importSessionToStore(sessionId, store, { home, dir, includeSubagents: false });
  expect(appends).toEqual([[{ project: dir, sessionId }, 5]]);
});

test('[B-101] what has failed half way can be tried again', async () => {
  const { home, sessionId, key } = stored();
  const memory = createMemoryStore();
  let left = 1;
  const failing: SessionStore = {
    ...memory,
    append: (where, group) => (left-- > 0 ? memory.append(where, group) : Promise.reject(new Error('full'))),
  };
  await expect(importSessionToStore(sessionId, failing, { home, batchSize: 2 })).rejects.toThrow('full');
  await importSessionToStore(sessionId, memory, { home });
  expect((await collect(memory.load(key))).entries).toEqual(entries);
});

test('[B-101] into another home it is a session like any other; into its own it is refused', async () => {
  const { home, path, sessionId, key } = stored();
  const before = readFileSync(path, 'utf8');
  const other = createJsonlStore({ home: tempDir(), log: () => {} });
  await importSessionToStore(sessionId, other, { home });
  expect((await collect(other.load(key))).entries).toEqual(entries);
  const own = createJsonlStore({ home, log: () => {} });
  await expect(importSessionToStore(sessionId, own, { home })).rejects.toMatchObject({ code: 'invalid_option' });
  expect(readFileSync(path, 'utf8')).toBe(before);
  await Promise.all([other.close?.(), own.close?.()]);
});

test('what cannot be is said', async () => {
  const { home, session } = sessionHome();
  const { sessionId } = session([user('u', 'nobody knows where')]);
  const store = createMemoryStore();
  await expect(importSessionToStore(sessionId, store, { home })).rejects.toThrow('name it with dir');
  for (const batchSize of [0, -1, 1.5, Number.NaN]) {
    await expect(importSessionToStore(sessionId, store, { home, batchSize })).rejects.toThrow('batchSize');
  }
  const missing = '5e551000-0000-4000-8000-000000000009';
  await expect(importSessionToStore(missing, store, { home })).rejects.toMatchObject({ code: 'session_not_found' });
});
