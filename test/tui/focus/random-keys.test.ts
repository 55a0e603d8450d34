import { expect, test } from 'vitest';
import { pressRandomKeys } from '../../support/random-keys.ts';

/** `npm run trust -- terminal` presses a million. */
test('[TUI-20] random keys: no exception, no answer by accident', () => {
  const { strays, faults } = pressRandomKeys({ keys: 10_000, seed: 21 });
  expect([strays, faults]).toEqual([[], []]);
});
