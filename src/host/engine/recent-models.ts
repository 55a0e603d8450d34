import type { Model } from '../../model/model.ts';

/** Models by key. Only the most recently used ones keep their connections. */
export interface RecentModels {
  /**
   * The model of this key, made if missing. It stays usable: a call after its connections were closed makes it again.
   */
  get(key: string, make: () => Model): Model;
  close(): void;
}

interface Entry {
  adapter: Model;
  /** The model that sessions hold. It finds the adapter of its key with every call. */
  handle: Model;
}

/** Limits the open connections of hosts that give every session its own key. */
export function createRecentModels(limit: number): RecentModels {
  /** Ordered from the least to the most recently used. */
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
