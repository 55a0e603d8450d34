import { defineConfig } from 'vitest/config';
import { common, maxWorkers } from './vitest.config.ts';

/** The long ones (`npm run trust`): kill sweeps, fuzzing, full disks. */
export default defineConfig({
  test: {
    ...common,
    include: ['test/trust/**/*.test.ts'],
    globalSetup: 'test/support/isolate.ts',
    maxWorkers,
    testTimeout: 600_000,
    hookTimeout: 120_000,
  },
});
