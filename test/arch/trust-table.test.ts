import { describe, expect, test } from 'vitest';
// @ts-expect-error a script without declarations
import { trustLines, trustRows, uncheckedIn } from '../../scripts/lib/trust-table.mjs';

const rows = trustRows({
  ids: ['S-1', 'S-2', 'R-1', 'L-3', 'L-4', 'W-1', 'LOOP-01'],
  tests: [
    { title: '[S-1, S-2] killed > at point 1', status: 'passed' },
    { title: '[S-1, S-2] killed > [S-1] at point 2', status: 'passed' },
    { title: '[R-1] one', status: 'passed' },
    { title: '[R-1] two', status: 'failed' },
    { title: '[S-2] where there is a small disk', status: 'pending' },
    { title: 'R-1 without brackets', status: 'failed' },
  ],
  figures: [
    { id: 'S-1', seen: '20 points, 0 lost' },
    { id: 'S-1', seen: '20 points, 0 lost' },
    { id: 'S-1', seen: '3 more' },
    { id: 'X-9', seen: 'no such row' },
  ],
  gaps: new Set(['L-3']),
});

describe('the table of npm run trust', () => {
  test('has a line for each invariant, with the tests that name it and what they have counted', () => {
    expect(trustLines(rows, { isWhole: true })).toEqual([
      'S-1  holds        2 passed             20 points, 0 lost; 3 more',
      'S-2  holds        2 passed, 1 skipped',
      'R-1  FAILED       1 passed, 1 failed',
      'L-3  gap',
      'L-4  not checked',
    ]);
  });

  test('shows only what was looked at when some files were chosen', () => {
    const ids = trustLines(rows, { isWhole: false }).map((line: string) => line.slice(0, 3));
    expect(ids).toEqual(['S-1', 'S-2', 'R-1']);
  });

  test('names what nothing has looked at, gaps aside; a skipped test has looked at nothing', () => {
    expect(uncheckedIn(rows)).toEqual(['L-4']);
    const skipped = trustRows({
      ids: ['S-2'],
      tests: [{ title: '[S-2]', status: 'pending' }],
      figures: [],
      gaps: new Set(),
    });
    expect(uncheckedIn(skipped)).toEqual(['S-2']);
  });
});
