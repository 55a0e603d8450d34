import { defineConfig, mergeConfig } from 'vitest/config';
import base from './vitest.config.ts';

/** The long ones (`npm run trust`): kill sweeps, fuzzing, full disks. */
const trust = mergeConfig(base, defineConfig({ test: { testTimeout: 600_000, hookTimeout: 120_000 } }));
trust.test = { ...trust.test, include: ['test/trust/**/*.test.ts'], exclude: [] };

export default trust;
