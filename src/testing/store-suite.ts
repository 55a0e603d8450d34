import assert from 'node:assert/strict';
import type { SessionKey, SessionStore } from '../sessions/store.ts';
import type { Entry } from '../wire/entries.ts';

export interface StoreCase {
  name: string;
  /** Rejects when the store breaks its contract. `makeStore` gives an empty store each time. */
  run(makeStore: () => Promise<SessionStore>): Promise<void>;
}

/**
 * The contract of a SessionStore, as cases for any test framework:
 *
 *     for (const { name, run } of storeCases()) test(name, () => run(makeStore));
 */
export function storeCases(): StoreCase[] {
  return Object.entries(cases).map(([name, check]) => ({
    name,
    async run(makeStore) {
      const store = await makeStore();
      try {
        await check(store);
      } finally {
        await store.close?.();
      }
    },
  }));
}

const PROJECT = '/projects/loom';
const key = session(1);

const cases: Record<string, (store: SessionStore) => Promise<void>> = {
  'a session that does not exist yields nothing': async (store) => {
    assert.equal(await store.exists(key), false);
    assert.deepEqual(await entriesOf(store, key), []);
    assert.deepEqual(await store.list(PROJECT), []);
  },

  'entries come back in the order of storing': async (store) => {
    await store.append(key, [prompt('a'), prompt('b')]);
    await store.append(key, [prompt('c')]);
    assert.equal(await store.exists(key), true);
    assert.deepEqual(await uuidsOf(store, key), ['a', 'b', 'c']);
  },

  'lines are numbered upwards from 1': async (store) => {
    await store.append(key, [prompt('a'), prompt('b')]);
    const lines: number[] = [];
    for await (const item of store.load(key)) if ('entry' in item) lines.push(item.line);
    assert.deepEqual(lines, [1, 2]);
  },

  'an empty append stores nothing': async (store) => {
    await store.append(key, []);
    assert.deepEqual(await entriesOf(store, key), []);
  },

  'a uuid is stored once, within a group and between groups': async (store) => {
    await store.append(key, [prompt('a'), prompt('a')]);
    await store.append(key, [prompt('a'), prompt('b')]);
    assert.deepEqual(await uuidsOf(store, key), ['a', 'b']);
  },

  'the first entry with a uuid is the one that stays': async (store) => {
    await store.append(key, [{ ...prompt('a'), note: 'first' }]);
    await store.append(key, [{ ...prompt('a'), note: 'second' }]);
    assert.deepEqual(await entriesOf(store, key), [{ ...prompt('a'), note: 'first' }]);
  },

  'a uuid inside a message does not count': async (store) => {
    await store.append(key, [{ ...prompt('a'), toolUseResult: { uuid: 'b' } }]);
    await store.append(key, [prompt('b')]);
    assert.deepEqual(await uuidsOf(store, key), ['a', 'b']);
  },

  'entries without a uuid are stored each time': async (store) => {
    const mark: Entry = { type: 'queue-operation', operation: 'dequeue' };
    await store.append(key, [mark]);
    await store.append(key, [mark]);
    assert.deepEqual(await entriesOf(store, key), [mark, mark]);
  },

  'unknown kinds and keys are kept as they are, in their order': async (store) => {
    const entry = JSON.parse(
      '{"z":1,"type":"from-tomorrow","a":{"deep":[null,true,1.5,{"k":""}]},"__proto__":{"x":1},"uuid":"a"}',
    ) as Entry;
    await store.append(key, [entry]);
    const [loaded] = await entriesOf(store, key);
    assert.equal(JSON.stringify(loaded), JSON.stringify(entry));
  },

  'any text survives': async (store) => {
    const texts = ['\u2028\u2029', 'line\nfeed\r\n', '\0', '😀 é 漢', '\ud800 alone', '}{"type":"user"}', '\ufeff'];
    await store.append(
      key,
      texts.map((text, i) => ({ ...prompt(`t${i}`), text })),
    );
    assert.deepEqual(
      (await entriesOf(store, key)).map(({ text }) => text),
      texts,
    );
  },

  'a large entry survives': async (store) => {
    const text = 'warp and weft ü '.repeat(300_000);
    await store.append(key, [prompt('a'), { ...prompt('b'), text }, prompt('c')]);
    const loaded = await entriesOf(store, key);
    assert.equal(loaded.length, 3);
    assert.ok(loaded[1]?.text === text, 'the text came back changed');
  },

  'concurrent appends keep their order and their groups together': async (store) => {
    const groups = Array.from({ length: 40 }, (_, g) => Array.from({ length: 5 }, (_, i) => prompt(`${g}.${i}`)));
    await Promise.all(groups.map((group) => store.append(key, group)));
    assert.deepEqual(
      await uuidsOf(store, key),
      groups.flat().map(({ uuid }) => uuid),
    );
  },

  'transcripts do not mix': async (store) => {
    const agent = { ...key, agentId: 'a1' };
    const elsewhere = { ...key, project: '/projects/spindle' };
    await Promise.all([
      store.append(key, [prompt('main')]),
      store.append(agent, [prompt('agent')]),
      store.append(session(2), [prompt('other')]),
      store.append(elsewhere, [prompt('elsewhere')]),
    ]);
    assert.deepEqual(await uuidsOf(store, key), ['main']);
    assert.deepEqual(await uuidsOf(store, agent), ['agent']);
    assert.deepEqual(await uuidsOf(store, session(2)), ['other']);
    assert.deepEqual(await uuidsOf(store, elsewhere), ['elsewhere']);
    assert.deepEqual(
      (await store.list('/projects/spindle')).map((info) => info.sessionId),
      [key.sessionId],
    );
  },

  'what was handed out cannot change what is stored': async (store) => {
    const entry = { ...prompt('a'), data: { n: 1 } };
    await store.append(key, [entry]);
    entry.data.n = 2;
    const [loaded] = await entriesOf(store, key);
    if (loaded) loaded.data = null;
    assert.deepEqual(await entriesOf(store, key), [{ ...prompt('a'), data: { n: 1 } }]);
  },

  'sessions are listed newest first, without their subagents': async (store) => {
    for (const n of [1, 2, 3]) await written(store, session(n), `first ${n}`);
    await written(store, session(1), 'again');
    await written(store, { ...session(2), agentId: 'a1' }, 'agent');
    const listed = await store.list(PROJECT);
    assert.deepEqual(
      listed.map((info) => info.sessionId),
      [1, 3, 2].map((n) => session(n).sessionId),
    );
  },

  'a removed session is gone, and may be begun anew': async (store) => {
    if (!store.remove) return;
    const agent = { ...key, agentId: 'a1' };
    await store.append(key, [prompt('a')]);
    await store.append(agent, [prompt('b')]);
    await store.append(session(2), [prompt('c')]);
    await store.remove(key);
    await store.remove(session(3));
    assert.equal(await store.exists(key), false);
    assert.equal(await store.exists(agent), false);
    assert.equal(await store.exists(session(2)), true);
    await store.append(key, [prompt('a')]);
    assert.deepEqual(await uuidsOf(store, key), ['a']);
  },

  'a closed store can be used again, and still knows its uuids': async (store) => {
    await store.append(key, [prompt('a')]);
    await store.close?.();
    await store.append(key, [prompt('a'), prompt('b')]);
    assert.deepEqual(await uuidsOf(store, key), ['a', 'b']);
  },
};

function session(n: number): SessionKey {
  return { project: PROJECT, sessionId: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}` };
}

function prompt(uuid: string): Entry {
  return { parentUuid: null, type: 'user', message: { role: 'user', content: uuid }, uuid };
}

/** Far enough from the write before for clocks of a few milliseconds. */
async function written(store: SessionStore, where: SessionKey, uuid: string): Promise<void> {
  await store.append(where, [prompt(uuid)]);
  await new Promise((resolve) => setTimeout(resolve, 12));
}

async function entriesOf(store: SessionStore, where: SessionKey): Promise<Entry[]> {
  const entries: Entry[] = [];
  for await (const item of store.load(where)) {
    assert.ok('entry' in item, `damage reported: ${JSON.stringify(item)}`);
    entries.push(item.entry);
  }
  return entries;
}

async function uuidsOf(store: SessionStore, where: SessionKey): Promise<unknown[]> {
  return (await entriesOf(store, where)).map(({ uuid }) => uuid);
}
