import { expect, test } from 'vitest';
import { boundField, jsonBytes } from '../../../src/tools/bounded-field.ts';
import { diffLines } from '../../../src/tools/files/patch.ts';

test('three lines of context, hunks apart', async () => {
  const lines = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`);
  const changed = lines.with(4, 'five').with(24, 'twenty-five');
  const hunks = await diffLines(`${lines.join('\n')}\n`, `${changed.join('\n')}\n`);
  expect(hunks).toMatchObject([
    { oldStart: 2, oldLines: 7, newStart: 2, newLines: 7 },
    { oldStart: 22, oldLines: 7, newStart: 22, newLines: 7 },
  ]);
  expect(hunks[0]?.lines).toEqual([
    ' line 2',
    ' line 3',
    ' line 4',
    '-line 5',
    '+five',
    ' line 6',
    ' line 7',
    ' line 8',
  ]);
});

test('a large text gives the same hunks as a small one, and soon', async () => {
  const large = Array.from({ length: 500_000 }, (_, index) => `line ${index + 1}`);
  const before = `${large.join('\n')}\n`;
  const at = 400_000;
  const after = `${large.toSpliced(at, 1, 'changed', 'and added').join('\n')}\n`;
  const started = process.cpuUsage();
  expect(await diffLines(before, after)).toEqual([
    {
      oldStart: at - 2,
      oldLines: 7,
      newStart: at - 2,
      newLines: 8,
      lines: [
        ...[at - 2, at - 1, at].map((n) => ` line ${n}`),
        `-line ${at + 1}`,
        '+changed',
        '+and added',
        ...[at + 2, at + 3, at + 4].map((n) => ` line ${n}`),
      ],
    },
  ]);
  expect(process.cpuUsage(started).user / 1000).toBeLessThan(2000);
});

test.each([
  ['the first line', 0],
  ['the second line', 1],
  ['the last line', 49_999],
])('a change of %s of a large text', async (_name, at) => {
  const large = Array.from({ length: 50_000 }, (_, index) => `line ${index + 1}`);
  const [hunk, ...more] = await diffLines(large.join('\n'), large.with(at, 'changed').join('\n'));
  expect(more).toEqual([]);
  expect(hunk?.oldStart).toBe(Math.max(1, at - 2));
  expect(hunk?.lines).toContain(`-line ${at + 1}`);
  expect(hunk?.lines).toContain('+changed');
});

test('large texts at both ends of which something is added or removed', async () => {
  const large = 'some line\n'.repeat(20_000);
  expect(await diffLines(large, `first\n${large}`)).toMatchObject([{ oldStart: 1, newStart: 1, newLines: 4 }]);
  expect(await diffLines(`${large}last\n`, large)).toMatchObject([{ oldStart: 19_998, oldLines: 4, newLines: 3 }]);
  expect(await diffLines('', large), 'too much to be told').toEqual([]);
});

test('[K34] is bounded as it stands in a line', async () => {
  const before = Array.from({ length: 3000 }, (_, index) => `"${'\u0001'.repeat(20)}${index}"`).join('\n');
  const hunks = await diffLines(before, before.replaceAll('"', "'"));
  expect(jsonBytes(hunks)).toBeLessThan(210_000);
});

test('[K34] a field is bounded by what it takes in a line', () => {
  expect(boundField('short')).toBe('short');
  for (const char of ['x', 'ü', '\n', '\u0001', '😀', '\\']) {
    const bounded = boundField(char.repeat(250_000));
    expect(jsonBytes(bounded)).toBeLessThan(200_100);
    expect(jsonBytes(bounded)).toBeGreaterThan(150_000);
    expect(bounded).toMatch(/\n\[… \d+ more characters left out …\]$/);
  }
});
