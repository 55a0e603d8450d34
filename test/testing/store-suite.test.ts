import { describe, expect, test } from 'vitest';
import type { SessionKey, SessionStore } from '../../src/sessions/store.ts';
import { storeCases } from '../../src/testing/index.ts';
import type { Entry } from '../../src/wire/entries.ts';
import { HeddleError } from '../../src/wire/errors.ts';

/** Stands for any database with asynchronous calls: rows by number, and unique keys. */
class Rows {
  readonly #rows: { transcript: string; uuid: string | null; json: string; at: number }[] = [];

  async insert(rows: readonly { transcript: string; uuid: string | null; json: string }[]): Promise<void> {
    await later();
    for (const row of rows) {
      const isKnown =
        row.uuid !== null && this.#rows.some((r) => r.transcript === row.transcript && r.uuid === row.uuid);
      if (!isKnown) this.#rows.push({ ...row, at: Date.now() });
    }
  }

  async select(where: (transcript: string) => boolean) {
    await later();
    return this.#rows.filter(({ transcript }) => where(transcript));
  }

  async delete(where: (transcript: string) => boolean): Promise<void> {
    await later();
    this.#rows.splice(0, this.#rows.length, ...this.#rows.filter(({ transcript }) => !where(transcript)));
  }
}

const later = () => new Promise((resolve) => setTimeout(resolve, Math.random()));

/** A store as a program might write its own. */
function createRowStore(): SessionStore {
  const rows = new Rows();
  let last: Promise<unknown> = Promise.resolve();
  /** Databases answer in any order: the order of the calls has to be kept here. */
  const inOrder = <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work, work);
    last = done.catch(() => {});
    return done;
  };
  const leases = new Map<string, { pid: number; host: string; since: string }>();
  const nameOf = ({ project, sessionId, agentId }: SessionKey) => JSON.stringify([project, sessionId, agentId ?? '']);
  const keyOf = (name: string): SessionKey => {
    const [project = '', sessionId = '', agentId = ''] = JSON.parse(name) as string[];
    return { project, sessionId, ...(agentId !== '' && { agentId }) };
  };

  return {
    append: async (key, entries) => {
      const transcript = nameOf(key);
      const group = entries.map((entry) => {
        return {
          transcript,
          uuid: typeof entry.uuid === 'string' && entry.uuid !== '' ? entry.uuid : null,
          json: JSON.stringify(entry),
        };
      });
      await inOrder(() => rows.insert(group));
    },
    async *load(key) {
      const found = await inOrder(() => rows.select((name) => name === nameOf(key)));
      for (const [i, { json }] of found.entries()) yield { entry: JSON.parse(json) as Entry, line: i + 1 };
    },
    exists: async (key) => (await inOrder(() => rows.select((name) => name === nameOf(key)))).length > 0,
    async list(project) {
      const isListed = (name: string) => keyOf(name).project === project && keyOf(name).agentId === undefined;
      const found = await inOrder(() => rows.select(isListed));
      const newest = new Map(found.map(({ transcript, at }) => [keyOf(transcript).sessionId, at]));
      return [...newest]
        .map(([sessionId, lastModified]) => ({ sessionId, lastModified }))
        .sort((a, b) => b.lastModified - a.lastModified);
    },
    async remove(key) {
      const isPart = (name: string) =>
        key.agentId === undefined ? nameOf({ ...keyOf(name), agentId: '' }) === nameOf(key) : name === nameOf(key);
      await inOrder(() => rows.delete(isPart));
    },
    async lease({ sessionId }, holder) {
      const other = leases.get(sessionId);
      if (other) throw new HeddleError('session_busy', `In use by ${other.pid}`, { facts: other });
      const own = { ...holder, since: new Date().toISOString() };
      leases.set(sessionId, own);
      return { release: async () => void (leases.get(sessionId) === own && leases.delete(sessionId)) };
    },
  };
}

describe("[B-104] a program's own store", () => {
  test.each(storeCases())('$name', ({ run }) => run(async () => createRowStore()));
});

describe('a store that breaks its contract is found out', () => {
  const broken: Record<string, [rule: RegExp, change: (store: SessionStore) => Partial<SessionStore>]> = {
    'forgets uuids': [/sent again/, (store) => ({ append: (key, entries) => store.append(key, entries.map(unnamed)) })],
    'mixes subagents': [
      /do not mix/,
      (store) => ({ append: ({ agentId: _, ...key }, entries) => store.append(key, entries) }),
    ],
    'hands out what it holds': [/handed out/, () => remembering()],
    'lists oldest first': [
      /newest first/,
      (store) => ({ list: async (project) => (await store.list(project)).reverse() }),
    ],
    'gives everybody a lease': [/by whom/, () => ({ lease: async () => ({ release: async () => {} }) })],
    'stores half a group': [/cannot be JSON/, (store) => ({ append: oneByOne(store) })],
  };

  test.each(Object.entries(broken))('%s', async (_, [rule, change]) => {
    const found = storeCases().find(({ name }) => rule.test(name));
    const makeStore = async () => {
      const store = createRowStore();
      return { ...store, ...change(store) };
    };
    await expect(found?.run(makeStore)).rejects.toThrow();
  });

  const unnamed = (entry: Entry): Entry => ({ ...entry, uuid: undefined });
  const oneByOne = (store: SessionStore) => async (key: SessionKey, entries: readonly Entry[]) => {
    for (const entry of entries) await store.append(key, [entry]);
  };
  const remembering = (): Partial<SessionStore> => {
    const held: Entry[] = [];
    return {
      append: async (_, entries) => void held.push(...entries),
      async *load() {
        for (const [i, entry] of held.entries()) yield { entry, line: i + 1 };
      },
    };
  };
});
