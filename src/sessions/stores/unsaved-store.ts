import { createMemoryStore } from './memory-store.ts';
import type { Loaded, SessionKey, SessionStore } from './store.ts';

/**
 * For a session of which nothing is to be left: what is appended lives in memory, behind the stored session that it
 * goes on from, if any, which is only read. So its tree is whole, and gone with the process.
 */
export function createUnkeptStore(past: { store: SessionStore; key: SessionKey } | null): SessionStore {
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
