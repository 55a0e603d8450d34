import { expect, test } from 'vitest';
// @ts-expect-error a script without declarations
import { compareSpec } from '../../scripts/lib/spec-report.mjs';

const row = (id: string) => ({ id, prefix: id.split('-')[0], table: 'features' });
const title = (text: string, ...ids: string[]) => ({ file: 'a.test.ts', title: text, ids });

function compare({ named = [] as string[], gaps = [] as string[], titles = [] as ReturnType<typeof title>[] }) {
  const rows = ['QRY-01', 'QRY-02', 'OPT-01'].map(row);
  return compareSpec({ rows, gaps: new Set(gaps), named: new Set(named), titles });
}

test('rows are covered, gaps or missing, by prefix', () => {
  expect(compare({ named: ['QRY-01'], gaps: ['OPT-01'] }).groups).toMatchObject([
    { prefix: 'QRY', covered: ['QRY-01'], gaps: [], missing: ['QRY-02'] },
    { prefix: 'OPT', covered: [], gaps: ['OPT-01'], missing: [] },
  ]);
});

test('what is wrong is told, a line each', () => {
  const titles = [title('one', 'ZZZ-01'), title('two', 'QRY-01', 'QRY-01', 'QRY-01', 'QRY-01')];
  expect(compare({ named: ['QRY-01', 'OPT-01'], gaps: ['OPT-01', 'NO-1'], titles }).problems).toEqual([
    'missing: QRY-02 has no test and is not in spec/gaps.md',
    'spec/gaps.md: NO-1 is no row of spec/',
    'spec/gaps.md: OPT-01 has a test, so it is no gap',
    'a.test.ts: ZZZ-01 is no row of spec/: one',
    'a.test.ts: more than 3 ids: two',
  ]);
});

test('nothing is wrong where every row has a test or a reason', () => {
  expect(compare({ named: ['QRY-01', 'QRY-02'], gaps: ['OPT-01'] }).problems).toEqual([]);
});
