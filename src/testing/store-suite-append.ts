import assert from 'node:assert/strict';
import type { Entry } from '../wire/entries.ts';
import { entriesOf, key, prompt, type StoreChecks, session, uuidsOf } from './store-suite-tools.ts';

/** Order, groups, and the uuid as the key that makes an append repeatable. */
export const appendChecks: StoreChecks = {
  'entries come back in the order of storing': async (store) => {
    await store.append(key, [prompt('a'), prompt('b')]);
    await store.append(key, [prompt('c')]);
    assert.equal(await store.exists(key), true);
    assert.deepEqual(await uuidsOf(store, key), ['a', 'b', 'c']);
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

  'an empty uuid names nothing: such entries are all stored': async (store) => {
    const said = ['one', 'two', 'three'].map((note) => ({ ...prompt(''), note }));
    await store.append(key, said.slice(0, 2));
    await store.append(key, said.slice(2));
    assert.deepEqual(await entriesOf(store, key), said);
  },

  'concurrent appends keep their order and their groups together': async (store) => {
    const groups = Array.from({ length: 40 }, (_, g) => Array.from({ length: 5 }, (_, i) => prompt(`${g}.${i}`)));
    await Promise.all(groups.map((group) => store.append(key, group)));
    assert.deepEqual(
      await uuidsOf(store, key),
      groups.flat().map(({ uuid }) => uuid),
    );
  },

  'a closed store can be used again, and still knows its uuids': async (store) => {
    await store.append(key, [prompt('a')]);
    await store.close?.();
    await store.append(key, [prompt('a'), prompt('b')]);
    assert.deepEqual(await uuidsOf(store, key), ['a', 'b']);
  },

  'a group that is sent again, as after a lost answer, is stored once': async (store) => {
    const group = [prompt('a'), prompt('b'), prompt('c')];
    await Promise.all([store.append(key, group), store.append(key, group), store.append(key, group.slice(1))]);
    assert.deepEqual(await uuidsOf(store, key), ['a', 'b', 'c']);
  },

  'uuids that the caller vouches for are found again': async (store) => {
    await store.append(key, [prompt('a')]);
    await store.append(key, [prompt('b')], { areNew: true });
    await store.append(key, [prompt('b'), prompt('a'), prompt('c')]);
    assert.deepEqual(await uuidsOf(store, key), ['a', 'b', 'c']);
  },

  'a uuid counts for its own transcript only': async (store) => {
    await store.append(key, [prompt('a')]);
    await store.append({ ...key, agentId: 'a1' }, [prompt('a')]);
    await store.append(session(2), [prompt('a')]);
    assert.deepEqual(await uuidsOf(store, { ...key, agentId: 'a1' }), ['a']);
    assert.deepEqual(await uuidsOf(store, session(2)), ['a']);
  },

  "appends to several sessions at once keep each one's order": async (store) => {
    const sessions = [1, 2, 3, 4].map(session);
    const names = Array.from({ length: 25 }, (_, i) => `n${i}`);
    await Promise.all(names.flatMap((name) => sessions.map((where) => store.append(where, [prompt(name)]))));
    for (const where of sessions) assert.deepEqual(await uuidsOf(store, where), names);
  },

  'what cannot be JSON is refused, and leaves nothing behind': async (store) => {
    const circle: Entry = { ...prompt('b') };
    circle.self = circle;
    await assert.rejects(store.append(key, [prompt('a'), circle]));
    assert.deepEqual(await uuidsOf(store, key), []);
    await store.append(key, [prompt('a')]);
    assert.deepEqual(await uuidsOf(store, key), ['a']);
  },
};
