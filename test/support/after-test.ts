/**
 * What helpers have to take away after a test. A helper is loaded once for many test files (vitest.config.ts), so a hook
 * at its top level would work for the first of these only; `guard.ts` calls `cleanUp` in every file.
 */
const due: (() => unknown)[] = [];

/** Calls this after the test that runs now, or that runs next; what was handed in last comes first. */
export function afterTest(cleanup: () => unknown): void {
  due.push(cleanup);
}

export async function cleanUp(): Promise<void> {
  for (const cleanup of due.splice(0).reverse()) await cleanup();
}
