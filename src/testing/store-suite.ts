import type { SessionStore } from '../sessions/store.ts';
import { toSessionStore } from '../sessions/stores/reference-store.ts';
import type { ReferenceSessionStore } from '../sessions/stores/reference-store-types.ts';
import { adminChecks } from './store-suite-admin.ts';
import { appendChecks } from './store-suite-append.ts';
import { leaseChecks } from './store-suite-lease.ts';
import { loadChecks } from './store-suite-load.ts';
import type { StoreChecks } from './store-suite-tools.ts';
import { watchChecks } from './store-suite-watch.ts';

export interface StoreCase {
  name: string;
  /**
   * Rejects when the store breaks its contract. `makeStore` returns an empty store each time; a store for the reference
   * is wrapped as in a session.
   */
  run(makeStore: () => Promise<SessionStore | ReferenceSessionStore>): Promise<void>;
}

/**
 * The contract of a SessionStore, as cases for any test framework. Optional methods (`remove`, `find`, `lease`,
 * `watch`, `listSessionSummaries`) are only checked where the store has them.
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
