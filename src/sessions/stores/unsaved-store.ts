import type { Loaded, SessionKey, SessionStore } from '../store.ts';
import { createMemoryStore } from './memory-store.ts';

/**
 * A store for a session that must leave nothing on disk: appended entries live in memory, after those of the stored
 * session that it continues, if any, which is only read. So its tree is complete, and is lost when the process ends.
 */
export function createUnsavedStore(past: { store: SessionStore; key: SessionKey } | null): SessionStore {
  const own = createMemoryStore();
  return {
    append: own.append,
    exists: own.exists,
    list: own.list,
    async *load(key): AsyncGenerator<Loaded, void> {
      let lines = 0;
      if (past) {
        for await (const item of past.store.load(past.key)) {
          lines = 'entry' in item ? item.line : item.damage.line;
          yield item;
        }
      }
      for await (const item of own.load(key)) {
        yield 'entry' in item ? { ...item, line: item.line + lines } : item;
      }
    },
  };
}
