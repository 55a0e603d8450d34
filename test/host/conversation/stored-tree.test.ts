import { expect, test, vi } from 'vitest';
import { StoredTree } from '../../../src/host/conversation/stored-tree.ts';
import { createMemoryStore } from '../../../src/sessions/stores/memory-store.ts';
import type { Entry } from '../../../src/wire/entries.ts';
import { afterTest } from '../../support/after-test.ts';

const KEY = { project: '/project', sessionId: '11111111-1111-4111-8111-111111111111' };

function entry(n: number): Entry {
  const uuid = (at: number) => `aaaaaaaa-0000-4000-8000-${String(at).padStart(12, '0')}`;
  const message = { role: 'user', content: `prompt ${n}` };
  return { type: 'user', uuid: uuid(n), parentUuid: n === 0 ? null : uuid(n - 1), message } as unknown as Entry;
}

/** A stored session that counts how often it is read. */
function storedSession() {
  const store = createMemoryStore();
  const load = vi.spyOn(store, 'load');
  const conversation = { transcript: { store, key: KEY } as never, events: { written: 0 } };
  const add = async (n: number) => {
    await store.append(KEY, [entry(n)]);
    conversation.events.written++;
  };
  return { conversation, load, add };
}

test('[TUI-62] pages are read once, until something was added or a while has passed', async () => {
  vi.useFakeTimers();
  afterTest(() => vi.useRealTimers());
  const { conversation, load, add } = storedSession();
  await add(0);
  const tree = new StoredTree();
  const read = async () => (await tree.read(conversation)).nodes.size;
  expect([await read(), await read(), load.mock.calls.length]).toEqual([1, 1, 1]);
  await add(1);
  expect([await read(), await read(), load.mock.calls.length]).toEqual([2, 2, 2]);
  vi.advanceTimersByTime(19_000);
  await read();
  vi.advanceTimersByTime(19_000);
  expect([await read(), load.mock.calls.length]).toEqual([2, 2]);
  vi.advanceTimersByTime(21_000);
  expect([await read(), load.mock.calls.length]).toEqual([2, 3]);
});

test('a reading that failed is tried again', async () => {
  const { conversation, load, add } = storedSession();
  await add(0);
  load.mockImplementationOnce(async function* () {
    yield await Promise.reject(new Error('gone'));
  });
  const tree = new StoredTree();
  await expect(tree.read(conversation)).rejects.toThrow('gone');
  expect((await tree.read(conversation)).nodes.size).toBe(1);
});
