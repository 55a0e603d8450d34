import { describe, expect, test } from 'vitest';
import { fromReferenceStore, toSessionStore } from '../../../src/sessions/stores/reference-store.ts';
import type { ReferenceSessionStore } from '../../../src/sessions/stores/reference-store-types.ts';
import { storeCases } from '../../../src/testing/index.ts';
import type { Entry } from '../../../src/wire/entries.ts';
import { type ReferenceEntry, type ReferenceKey, ReferenceStore } from '../../support/reference-store.ts';

const key = { project: '/home/me/my project', sessionId: '00000000-0000-4000-8000-000000000001' };
const entry = (uuid: string): Entry => ({ type: 'user', uuid, message: { role: 'user', content: uuid } });

/** The least that the reference asks for: no deletion, no lists, a list of whatever came. */
class LeastStore {
  readonly #kept = new Map<string, ReferenceEntry[]>();
  async append(where: ReferenceKey, entries: ReferenceEntry[]): Promise<void> {
    this.#kept.set(JSON.stringify(where), [...(this.#kept.get(JSON.stringify(where)) ?? []), ...entries]);
  }
  async load(where: ReferenceKey): Promise<ReferenceEntry[] | null> {
    return this.#kept.get(JSON.stringify(where)) ?? null;
  }
}

describe('[K48] a store that was written for the reference keeps the promises of ours', () => {
  test.each(storeCases())('$name', ({ run }) => run(async () => new ReferenceStore()));
});

describe('[K48] one that has only what it must, too, as far as nothing is listed', () => {
  const cases = storeCases().filter(
    ({ name }) => !/listed|list says|do not mix|does not exist|makes no session/.test(name),
  );
  test.each(cases)('$name', ({ run }) => run(async () => new LeastStore()));
});

test('[K48] it is called with its own keys, as a method of itself', async () => {
  const given = new ReferenceStore();
  const store = toSessionStore(given);
  await store.append(key, [entry('a')], { areNew: true });
  await store.append({ ...key, agentId: 'a1b2c3' }, [entry('b')], { areNew: true });
  const { sessionId } = key;
  expect(given.calls).toEqual([
    ['append', { projectKey: '-home-me-my-project', sessionId }, 'user'],
    ['append', { projectKey: '-home-me-my-project', sessionId, subpath: 'subagents/agent-a1b2c3' }, 'user'],
  ]);
  expect(await store.subagents?.(key)).toEqual(['a1b2c3']);
  expect(await store.list(key.project)).toMatchObject([{ sessionId }]);
});

test('[K48] what it cannot do is said', async () => {
  const store = toSessionStore(new LeastStore());
  expect([store.remove, store.subagents, store.listSessionSummaries]).toEqual([undefined, undefined, undefined]);
  await expect(store.list('/p')).rejects.toMatchObject({ code: 'not_supported' });
});

test('[K48] deleting a session takes its subagents along', async () => {
  const given = new ReferenceStore();
  const store = toSessionStore(given);
  for (const agentId of [undefined, 'a1', 'a2']) {
    await store.append({ ...key, ...(agentId && { agentId }) }, [entry('a')]);
  }
  await store.remove?.(key);
  expect(given.keys()).toEqual([]);
});

describe('[K48] append', () => {
  /** Rejects so many times before it takes anything. */
  function flaky(times: number, error = new Error('the line is down')) {
    const given = new ReferenceStore();
    let left = times;
    const append: ReferenceSessionStore['append'] = async (where, entries) => {
      if (left-- > 0) throw error;
      await given.append(where, entries as ReferenceEntry[]);
    };
    const store = fromReferenceStore(
      { load: (where) => given.load(where), append },
      { retryAfterMs: [1, 1], appendTimeoutMs: 40 },
    );
    return { given, store };
  }

  test('that is rejected is tried three times', async () => {
    const { given, store } = flaky(2);
    await store.append(key, [entry('a')]);
    expect(given.entries({ projectKey: '-home-me-my-project', sessionId: key.sessionId })).toHaveLength(1);
  });

  test('then it has failed, aloud, and may be tried again by whoever called', async () => {
    const { store } = flaky(3);
    const failed = store.append(key, [entry('a')]);
    await expect(failed).rejects.toMatchObject({
      code: 'storage_failed',
      message: expect.stringContaining('line is down'),
    });
    await store.append(key, [entry('a')]);
    const loaded: unknown[] = [];
    for await (const item of store.load(key)) loaded.push(item);
    expect(loaded).toHaveLength(1);
  });

  test('that never comes back has failed, and is not made again: it may still do its work', async () => {
    let calls = 0;
    const store = fromReferenceStore(
      {
        load: async () => null,
        append: () => {
          calls++;
          return new Promise<never>(() => {});
        },
      },
      { appendTimeoutMs: 30, retryAfterMs: [1, 1] },
    );
    await expect(store.append(key, [entry('a')])).rejects.toMatchObject({ code: 'storage_failed' });
    expect(calls).toBe(1);
  });

  test.each([
    ['batched', [['a'], ['b', 'c']]],
    ['eager', [['a'], ['b'], ['c']]],
  ] as const)('[B-054] %s', async (flush, groups) => {
    const calls: string[][] = [];
    let running = 0;
    const store = fromReferenceStore(
      {
        load: async () => null,
        async append(_, entries) {
          expect(++running).toBe(1); // never two at a time
          calls.push(entries.map(({ uuid }) => String(uuid)));
          await new Promise((resolve) => setTimeout(resolve, 1));
          running--;
        },
      },
      { flush },
    );
    await Promise.all(['a', 'b', 'c'].map((uuid) => store.append(key, [entry(uuid)], { areNew: true })));
    expect(calls).toEqual(groups);
  });
});

test('[K48, K15] what is no entry is told as damage', async () => {
  const store = toSessionStore({
    append: async () => {},
    load: async () => [{ type: 'user', uuid: 'a' }, 'torn', null] as never,
  });
  const loaded: object[] = [];
  for await (const item of store.load(key)) loaded.push(item);
  expect(loaded.map((item) => Object.keys(item)[0])).toEqual(['entry', 'damage', 'damage']);
  const broken = toSessionStore({ append: async () => {}, load: async () => 'what' as never });
  await expect(broken.exists(key)).rejects.toMatchObject({ code: 'storage_failed' });
});
