import type { Model } from '../model/model.ts';

/** Models by what makes them different; only the most recently used ones keep their connections. */
export interface RecentModels {
  /** The model of this key, made when there is none. It stays usable for ever; a call after a long rest makes it anew. */
  get(key: string, make: () => Model): Model;
  close(): void;
}

interface Entry {
  adapter: Model;
  /** What sessions hold: finds the adapter of its key with every call. */
  handle: Model;
}

/** Hosts that give every session a key of its own would otherwise hold connections for all keys that ever were. */
export function createRecentModels(limit: number): RecentModels {
  /** The least recently used first. */
  const entries = new Map<string, Entry>();

  function use(key: string, make: () => Model): Entry {
    const entry = entries.get(key) ?? open(key, make);
    entries.delete(key);
    entries.set(key, entry);
    dropOldest();
    return entry;
  }

  function open(key: string, make: () => Model): Entry {
    const adapter = make();
    const handle: Model = {
      provider: adapter.provider,
      stream: (request, signal) => use(key, make).adapter.stream(request, signal),
    };
    return { adapter, handle };
  }

  function dropOldest(): void {
    for (const [key, { adapter }] of entries) {
      if (entries.size <= limit) return;
      entries.delete(key);
      adapter.close?.();
    }
  }

  return {
    get: (key, make) => use(key, make).handle,
    close() {
      for (const { adapter } of entries.values()) adapter.close?.();
    },
  };
}
