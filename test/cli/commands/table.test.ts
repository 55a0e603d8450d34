import { expect, test } from 'vitest';
import { tableLines } from '../../../src/cli/commands/table.ts';
import { displayWidth } from '../../../src/util/text/display-width.ts';
import { wrapText } from '../../../src/util/text/wrap-text.ts';

const columns = [
  { title: 'ID', cells: ['a1', 'b22'] },
  { title: 'N', cells: ['1', '1000'], align: 'right' as const },
  { title: 'DIRECTORY', cells: ['/a/rather/long/directory', '/b'], keep: 'end' as const, least: 8 },
  { title: 'TITLE', cells: ['日本語のタイトル日本語', 'short'], least: 6 },
];

test('columns are as wide as what is in them', () => {
  expect(tableLines(columns, 200, { hasTitles: true })).toEqual([
    'ID      N  DIRECTORY                 TITLE',
    'a1      1  /a/rather/long/directory  日本語のタイトル日本語',
    'b22  1000  /b                        short',
  ]);
});

test.each([50, 40, 33])('in %i columns the widest that may be cut is, a path from the left', (width) => {
  const lines = tableLines(columns, width, { hasTitles: true });
  expect(Math.max(...lines.map(displayWidth))).toBeLessThanOrEqual(width);
  expect(lines[1]).toMatch(/ …\S*directory |…\S*ectory /);
});

test('without a header, and on a terminal that is too narrow for anything, every cell is still there', () => {
  expect(tableLines(columns, 10, { hasTitles: false })).toEqual([
    'a1      1  …rectory  日本…',
    'b22  1000  /b        short',
  ]);
});

test('a text is broken between words, and goes on below its beginning; a long word stays whole', () => {
  expect(wrapText('one two three four', 12, { lead: 'x: ' })).toEqual(['x: one two', '   three', '   four']);
  expect(wrapText('one https://example.com/a/long/path two', 12, { hang: 2 })).toEqual([
    'one',
    '  https://example.com/a/long/path',
    '  two',
  ]);
  expect(wrapText('日本 語の タイ', 5)).toEqual(['日本', '語の', 'タイ']);
  expect(wrapText('', 5)).toEqual(['']);
});
