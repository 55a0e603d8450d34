import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EMPTY_EDITOR, edit } from '../../../src/tui/editor/editor.ts';
import { layOut } from '../../../src/tui/editor/layout.ts';
import { doing, editorWith, marked, viewOf } from './support.ts';

const rowsOf = (text: string, columns: number) =>
  layOut(edit(EMPTY_EDITOR, { type: 'type', text }), viewOf(columns)).rows.map((row) => row.text);

describe('rows of the editor', () => {
  test('break after blanks, else where the row ends', () => {
    expect(rowsOf('one two three', 8)).toEqual(['one two ', 'three']);
    expect(rowsOf('abcdefghij', 4)).toEqual(['abcd', 'efgh', 'ij']);
  });

  test('an empty text and an empty line are rows', () => {
    expect(rowsOf('', 10)).toEqual(['']);
    expect(rowsOf('a\n\nb', 10)).toEqual(['a', '', 'b']);
  });

  test('wide characters are never halved', () => {
    expect(rowsOf('漢字漢字', 5)).toEqual(['漢字', '漢字']);
  });

  test('tabs and folded pastes are shown', () => {
    const state = doing(EMPTY_EDITOR, { type: 'type', text: '\t' }, { type: 'paste', text: 'x'.repeat(900) });
    expect(layOut(state, viewOf(60)).rows.map(({ text }) => text)).toEqual(['    [Pasted text #1 900 characters]']);
  });
});

describe('[TUI-16] the cursor', () => {
  test.each([
    ['in a row', 'ab|c', 10, { row: 0, column: 2, before: 'ab' }],
    ['behind wide characters', '漢字|', 10, { row: 0, column: 4, before: '漢字' }],
    ['at a break it is where the next character comes', 'abcd|ef', 4, { row: 1, column: 0, before: '' }],
    ['behind a full row it stays', 'abcd|', 4, { row: 0, column: 4, before: 'abcd' }],
    ['in an empty line', 'a\n|\nb', 4, { row: 1, column: 0, before: '' }],
  ])('%s', (_name, text, columns, caret) => {
    expect(layOut(editorWith(text), viewOf(columns)).caret).toEqual(caret);
  });

  test('moves by rows as seen and keeps its column', () => {
    const view = viewOf(6);
    const up = { type: 'move-row', by: -1, view } as const;
    const down = { type: 'move-row', by: 1, view } as const;
    const state = editorWith('abcdef\nx\nuvwxyz|');
    expect(marked(edit(state, up))).toBe('abcdef\nx|\nuvwxyz');
    expect(marked(doing(state, up, up))).toBe('abcdef|\nx\nuvwxyz');
    expect(marked(doing(state, up, up, down, down))).toBe('abcdef\nx\nuvwxyz|');
    expect(marked(edit(editorWith('abcdefgh|ij'), up))).toBe('ab|cdefghij');
  });

  test('at the first and the last row nothing changes: history is next', () => {
    const state = editorWith('a|b');
    const view = viewOf(10);
    expect(edit(state, { type: 'move-row', by: -1, view })).toBe(state);
    expect(edit(state, { type: 'move-row', by: 1, view })).toBe(state);
  });
});

test('[TUI-20] any text in any width: all of it is in the rows, none is too wide, the caret is in one', () => {
  const text = fc.string({
    unit: fc.constantFrom('a', ' ', '\n', '\t', '漢', '👨‍👩‍👧', 'e\u0301', '字'),
    maxLength: 60,
  });
  fc.assert(
    fc.property(text, fc.integer({ min: 0, max: 30 }), fc.nat(60), (typed, columns, lefts) => {
      let state = edit(EMPTY_EDITOR, { type: 'type', text: typed });
      for (let at = 0; at < lefts; at++) state = edit(state, { type: 'move', to: 'left' });
      const view = viewOf(columns);
      const { rows, caret } = layOut(state, view);
      const covered = rows.map(({ start, end }) => state.text.slice(start, end)).join('');
      expect(covered).toBe(state.text.replaceAll('\n', ''));
      for (const row of rows) expect(view.widths.of(row.text)).toBeLessThanOrEqual(Math.max(1, columns));
      const row = rows[caret.row];
      expect(row && row.start <= state.caret && state.caret <= row.end).toBe(true);
      expect(row?.text.startsWith(caret.before)).toBe(true);
    }),
  );
});

test.each([
  ['ten thousand plain characters', 'lorem ipsum dolor '.repeat(560)],
  ['a thousand East Asian ones', '漢字かな交じり文'.repeat(125)],
])('%s in one line are laid out in less than half a millisecond', (_name, text) => {
  const state = edit(EMPTY_EDITOR, { type: 'type', text });
  const view = viewOf(100);
  for (let at = 0; at < 200; at++) layOut(state, view);
  const begun = process.cpuUsage();
  for (let at = 0; at < 200; at++) layOut(state, view);
  const { user, system } = process.cpuUsage(begun);
  expect((user + system) / 200 / 1000).toBeLessThan(0.5);
});
