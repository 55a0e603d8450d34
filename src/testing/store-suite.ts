import { toSessionStore } from '../sessions/any-store.ts';
import type { ReferenceSessionStore } from '../sessions/reference-store-types.ts';
import type { SessionStore } from '../sessions/store.ts';
import { adminChecks } from './store-suite-admin.ts';
import { appendChecks } from './store-suite-append.ts';
import { leaseChecks } from './store-suite-lease.ts';
import { loadChecks } from './store-suite-load.ts';
import type { StoreChecks } from './store-suite-tools.ts';
import { watchChecks } from './store-suite-watch.ts';

export interface StoreCase {
  name: string;
  /**
   * Rejects when the store breaks its contract. `makeStore` gives an empty store each time; one that was written for the
   * reference is looked at as it would be used.
   */
  run(makeStore: () => Promise<SessionStore | ReferenceSessionStore>): Promise<void>;
}

/**
 * The contract of a SessionStore, as cases for any test framework. What a store may leave out (`remove`, `find`,
 * `lease`, `watch`, `listSessionSummaries`) is only checked where it is there.
 *
 * @example
 * ```ts
 * import { test } from 'vitest';
 * import { createMemoryStore } from 'heddle/stores/memory';
 *
 * for (const { name, run } of storeCases()) test(name, () => run(async () => createMemoryStore()));
 * ```
 */
export function storeCases(): StoreCase[] {
  return Object.entries(checks).map(([name, check]) => ({
    name,
    async run(makeStore) {
      const store = toSessionStore(await makeStore());
      try {
        await check(store);
      } finally {
        await store.close?.();
      }
    },
  }));
}

const checks: StoreChecks = { ...appendChecks, ...loadChecks, ...adminChecks, ...leaseChecks, ...watchChecks };
