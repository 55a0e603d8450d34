import { describe, expect, test } from 'vitest';
import { pressKeysInApp } from '../support/random-app.ts';
import { pressRandomKeys } from '../support/random-keys.ts';
import { batches, trustSize } from './size.ts';

const KEYS = trustSize('LINES', 1_000_000);

describe('[TUI-20] random keys and bytes: no exception, no answer by accident', () => {
  test.each(batches(KEYS, 100_000))('$from to $to', ({ from, to }) => {
    const { strays, faults } = pressRandomKeys({ keys: to - from, seed: trustSize('SEED', 1) + from });
    expect([strays, faults]).toEqual([[], []]);
  });
});

describe('[TUI-20, TUI-41] the same in the whole terminal, against a session that says random things', () => {
  test.each(batches(KEYS, 20_000))('$from to $to', async ({ from, to }) => {
    const { approvals, faults } = await pressKeysInApp({ keys: to - from, seed: trustSize('SEED', 1) + from });
    expect([approvals, faults]).toEqual([[], []]);
  });
});
