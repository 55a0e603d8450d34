import assert from 'node:assert/strict';
import type { SessionKey, SessionStore } from '../sessions/store.ts';
import type { Entry } from '../wire/entries.ts';

/**
 * The rules for a store: the name of each rule, and a check that gets an empty store and rejects when it breaks the
 * rule.
 */
export type StoreChecks = Record<string, (store: SessionStore) => Promise<void>>;

export const PROJECT = '/projects/loom';
export const key = session(1);

export function session(n: number): SessionKey {
  return { project: PROJECT, sessionId: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}` };
}

export function prompt(uuid: string): Entry {
  return { parentUuid: null, type: 'user', message: { role: 'user', content: uuid }, uuid };
}

/** Waits after the write, so that clocks of a few milliseconds show a difference to the next one. */
export async function written(store: SessionStore, where: SessionKey, uuid: string): Promise<void> {
  await store.append(where, [prompt(uuid)]);
  await new Promise((resolve) => setTimeout(resolve, 12));
}

export async function entriesOf(store: SessionStore, where: SessionKey): Promise<Entry[]> {
  const entries: Entry[] = [];
  for await (const item of store.load(where)) {
    assert.ok('entry' in item, `damage reported: ${JSON.stringify(item)}`);
    entries.push(item.entry);
  }
  return entries;
}

export async function uuidsOf(store: SessionStore, where: SessionKey): Promise<unknown[]> {
  return (await entriesOf(store, where)).map(({ uuid }) => uuid);
}
