import type { SessionKey, SessionStore } from '../../sessions/store.ts';

/** Whether the session has an entry with this uuid, on any branch. */
export async function holdsEntry(
  { store, key }: { store: Pick<SessionStore, 'has' | 'load'>; key: SessionKey },
  uuid: string,
): Promise<boolean> {
  if (store.has) return store.has(key, uuid);
  for await (const item of store.load(key)) if ('entry' in item && item.entry.uuid === uuid) return true;
  return false;
}
