import { expect, test } from 'vitest';
import { pressKeysInApp } from '../../support/random-app.ts';

/** `npm run trust -- terminal` presses a million. */
test('[TUI-20, TUI-41] random keys in the whole terminal: no exception, no approval by accident', async () => {
  const { approvals, faults } = await pressKeysInApp({ keys: 4000, seed: 7 });
  expect([approvals, faults]).toEqual([[], []]);
});
