import assert from 'node:assert/strict';
import type { SessionKey, SessionStore } from '../sessions/store.ts';
import { key, prompt, type StoreChecks, session } from './store-suite-tools.ts';

/** Notifications about appended entries; only for stores that can be watched. */
export const watchChecks: StoreChecks = {
  'who watches hears what is appended from then on, in order': async (store) => {
    await store.append(key, [prompt('before')]);
    const heard = watching(store, key);
    await store.append(key, [prompt('a'), prompt('b')]);
    await store.append(key, [prompt('b'), prompt('c')]);
    assert.deepEqual(await heard(3), ['a', 'b', 'c']);
  },

  'a session may be watched before it is begun, and apart from others': async (store) => {
    const heard = watching(store, key);
    await store.append(session(2), [prompt('other')]);
    await store.append({ ...key, agentId: 'a1' }, [prompt('agent')]);
    await store.append(key, [prompt('a')]);
    assert.deepEqual(await heard(1), ['a']);
  },

  'a watch ends with its signal': async (store) => {
    const stop = new AbortController();
    const { signal } = stop;
    setTimeout(() => stop.abort(), 20); // not AbortSignal.timeout, which does not keep an otherwise idle process alive
    for await (const _ of store.watch?.(key, { signal }) ?? []) assert.fail('nothing was appended');
    for await (const _ of store.watch?.(key, { signal }) ?? []) assert.fail('the signal had aborted before');
  },
};

const PATIENCE_MS = 5000;

/** Begins at once; the returned function waits for `count` entries. A store without `watch` passes. */
function watching(store: SessionStore, where: SessionKey): (count: number) => Promise<unknown[]> {
  const stop = new AbortController();
  const patience = setTimeout(() => stop.abort(), PATIENCE_MS);
  const watch = store.watch?.(where, { signal: stop.signal });
  return async (count) => {
    const heard: unknown[] = [];
    for await (const item of watch ?? store.load(where)) {
      if ('entry' in item && item.entry.uuid !== 'before') heard.push(item.entry.uuid);
      if (heard.length === count) break;
    }
    clearTimeout(patience);
    stop.abort();
    return heard;
  };
}
