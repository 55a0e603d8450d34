import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cutRow, SIXTEEN_COLOURS, type Span, textOfRow, toRow } from '../../../src/tui/rows/row.ts';
import { createWidths } from '../../../src/tui/rows/widths.ts';
import { wrapSpans } from '../../../src/tui/rows/wrap.ts';

const byPoints = createWidths({ byGraphemes: false, ambiguousWide: false });
const byGraphemes = createWidths({ byGraphemes: true, ambiguousWide: false });

test.each([
  ['plain', 5, 5],
  ['日本', 4, 4],
  ['e\u0301', 1, 1],
  ['👨‍👩‍👧', 6, 2],
  ['❤️', 2, 2],
  ['🇩🇪', 2, 2],
  ['→', 1, 1],
  ['한국', 4, 4],
])('[TUI-17] %s is %i columns wide by code points, %i by characters', (text, points, characters) => {
  expect(byPoints.of(text)).toBe(points);
  expect(byGraphemes.of(text)).toBe(characters);
});

test('[TUI-17] ambiguous characters take two columns where the user says so', () => {
  const wide = createWidths({ byGraphemes: false, ambiguousWide: true });
  expect(wide.of('→')).toBe(2);
  expect(wide.of('±')).toBe(2);
});

const textOf = (line: readonly Span[]) => line.map(({ text }) => text).join('');

test('text is broken at blanks, and wide characters anywhere', () => {
  const wrap = (text: string, width: number, hang = 0) =>
    wrapSpans([{ text }], { width, hang, widths: byPoints }).map(textOf);
  expect(wrap('the quick brown fox', 10)).toEqual(['the quick', 'brown fox']);
  expect(wrap('日本語の文章', 5)).toEqual(['日本', '語の', '文章']);
  expect(wrap('abcdefghijkl mn', 5)).toEqual(['abcde', 'fghij', 'kl mn']);
  expect(wrap('one two three', 7, 4)).toEqual(['one two', 'thr', 'ee']);
  expect(wrap('', 7)).toEqual(['']);
});

test('[TUI-13] no line is wider than its width, and no character is lost', () => {
  const part = fc.constantFrom('a', 'word', ' ', '  ', '日本', '👨‍👩‍👧', 'e\u0301', 'x'.repeat(15), '❤️');
  const span = fc.record({ text: fc.array(part, { maxLength: 8 }).map((parts) => parts.join('')) });
  fc.assert(
    fc.property(fc.array(span, { maxLength: 6 }), fc.integer({ min: 2, max: 30 }), (spans, width) => {
      for (const widths of [byPoints, byGraphemes]) {
        const lines = wrapSpans(spans, { width, widths });
        const widest = Math.max(6, width); // a single character may be wider than the line
        for (const line of lines) expect(widths.of(textOf(line))).toBeLessThanOrEqual(widest);
        expect(lines.map(textOf).join('').replaceAll(' ', '')).toBe(
          spans
            .map(({ text }) => text)
            .join('')
            .replaceAll(' ', ''),
        );
      }
    }),
  );
});

test('a row is cut by columns, and its colours end', () => {
  const row = toRow([{ text: 'ab日本', styles: ['added'] }, { text: 'cd' }], SIXTEEN_COLOURS);
  expect(cutRow(row, 5, byPoints)).toBe('\x1b[32mab日\x1b[0m');
  expect(textOfRow(cutRow(row, 8, byPoints))).toBe('ab日本cd');
});
