import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import tiers from './test/tiers.json' with { type: 'json' };

const processTests = tiers.processFolders.map((folder) => `${folder}/**/*.test.ts`);

/** For every project here, and for the long tests (vitest.trust.config.ts). */
export const common = {
  setupFiles: ['test/support/guard.ts'],
  pool: 'forks' as const,
  testTimeout: 30_000,
  hookTimeout: 30_000,
};

/** Many tests wait for processes of their own, so two files at a time do no harm on two cores; more than four do. */
export const maxWorkers = Math.min(4, Math.max(2, availableParallelism() - 1));

/**
 * Every test file but the long ones belongs to one of three projects. `npm test` runs `inside` and `smoke`,
 * `npm run test:rest` runs `processes`; test/tiers.json says which file is which.
 */
export default defineConfig({
  test: {
    globalSetup: 'test/support/isolate.ts',
    maxWorkers,
    projects: [
      {
        test: {
          ...common,
          name: 'inside',
          include: ['test/**/*.test.ts'],
          exclude: ['test/trust/**', ...processTests, ...tiers.slow],
          // Modules hold no state that changes, so files can share them: none loads the sources again. What a file leaves
          // behind nevertheless fails it.
          isolate: false,
          setupFiles: [...common.setupFiles, 'test/support/no-leaks.ts', 'test/support/fixed-seed.ts'],
        },
      },
      { test: { ...common, name: 'smoke', include: tiers.smoke } },
      { test: { ...common, name: 'processes', include: [...processTests, ...tiers.slow], exclude: tiers.smoke } },
    ],
  },
});
