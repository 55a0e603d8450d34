import assert from 'node:assert/strict';
import type { Entry } from '../wire/entries.ts';
import { entriesOf, key, PROJECT, prompt, type StoreChecks, session, uuidsOf } from './store-suite-tools.ts';

/** A store returns exactly the entries that were stored. */
export const loadChecks: StoreChecks = {
  'a session that does not exist yields nothing': async (store) => {
    assert.equal(await store.exists(key), false);
    assert.deepEqual(await entriesOf(store, key), []);
    assert.deepEqual(await store.list(PROJECT), []);
  },

  'lines are numbered upwards from 1': async (store) => {
    await store.append(key, [prompt('a'), prompt('b')]);
    const lines: number[] = [];
    for await (const item of store.load(key)) if ('entry' in item) lines.push(item.line);
    assert.deepEqual(lines, [1, 2]);
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

  'a lone surrogate and escapes survive as JSON has them': async (store) => {
    const entry = JSON.parse('{"type":"user","uuid":"a","text":"\\ud83d \\udc00 \\u0000 \\\\ud800 \\/"}') as Entry;
    await store.append(key, [entry]);
    assert.deepEqual(await entriesOf(store, key), [entry]);
  },

  'numbers, nulls and empty things survive': async (store) => {
    const entry = { ...prompt('a'), list: [0, -1.5e-7, 9007199254740991, null, true, '', [], {}], '': '' };
    await store.append(key, [entry]);
    assert.deepEqual(await entriesOf(store, key), [entry]);
  },

  'a load that runs while entries are appended sees a beginning of them': async (store) => {
    const names = Array.from({ length: 200 }, (_, i) => `n${i}`);
    await store.append(key, names.slice(0, 50).map(prompt));
    const loads: Promise<unknown[]>[] = [];
    for (const name of names.slice(50)) {
      const appended = store.append(key, [prompt(name)]);
      if (loads.length < 20) loads.push(uuidsOf(store, key));
      await appended;
    }
    for (const seen of await Promise.all(loads)) {
      assert.ok(seen.length >= 50, 'what was stored before the load began is missing');
      assert.deepEqual(seen, names.slice(0, seen.length));
    }
  },

  'a load can be left early, and begun again': async (store) => {
    await store.append(key, ['a', 'b', 'c'].map(prompt));
    for await (const item of store.load(key)) {
      assert.ok('entry' in item && item.entry.uuid === 'a');
      break;
    }
    assert.deepEqual(await uuidsOf(store, key), ['a', 'b', 'c']);
  },
};
