import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/trust/**'],
    globalSetup: 'test/support/isolate.ts',
    setupFiles: 'test/support/guard.ts',
    pool: 'forks',
    // Many tests wait for processes of their own, so two files at a time do no harm on two cores; more than four do.
    maxWorkers: Math.min(4, Math.max(2, availableParallelism() - 1)),
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
