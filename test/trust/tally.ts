import { afterAll, expect } from 'vitest';
import { figure } from './figures.ts';

/** Takes the faults of one or more cases, and fails the running test if there are some. */
export type Check = (faults: readonly unknown[], cases?: number) => void;

/**
 * Counts the cases and faults of the tests around the call, and tells them as figures when all of them are over:
 * `tally(['S-9'], 'cuts', 'failures')` becomes `200 cuts, 0 failures`.
 */
export function tally(ids: readonly string[], cases: string, faults: string): Check {
  const seen = { cases: 0, faults: 0 };
  afterAll(() => {
    if (seen.cases === 0) return;
    for (const id of ids) figure(id, `${seen.cases.toLocaleString('en')} ${cases}, ${seen.faults} ${faults}`);
  });
  return (found, count = 1) => {
    seen.cases += count;
    seen.faults += found.length;
    expect(found).toEqual([]);
  };
}
