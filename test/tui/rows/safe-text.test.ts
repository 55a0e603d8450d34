import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { NO_COLOURS, outputRow, SIXTEEN_COLOURS, textOfRow, toRow } from '../../../src/tui/rows/row.ts';
import { expandTabs, safeLine, safeText } from '../../../src/tui/rows/safe-text.ts';
import { createEmulator } from '../../support/emulator.ts';

const ESC = '\x1b';

/** Each wants something of the terminal; what may be left of it. */
const HOSTILE: [name: string, text: string, left: string][] = [
  ['clears the screen', `a${ESC}[2Jb`, 'ab'],
  ['moves the cursor', `a${ESC}[1;1Hb${ESC}[5Ac`, 'abc'],
  ['switches to the other screen', `a${ESC}[?1049hb`, 'ab'],
  ['asks for the position', `a${ESC}[6nb${ESC}[cb`, 'abb'],
  ['resets the terminal', `a${ESC}cb`, 'ab'],
  ['sets the title', `a${ESC}]0;title\x07b`, 'ab'],
  ['sets the title, with ST', `a${ESC}]2;title${ESC}\\b`, 'ab'],
  ['writes the clipboard', `a${ESC}]52;c;aGk=\x07b`, 'ab'],
  ['links elsewhere', `a${ESC}]8;;http://evil\x07text${ESC}]8;;\x07b`, 'atextb'],
  ['draws an image', `a${ESC}_Gf=100;AAAA${ESC}\\b`, 'ab'],
  ['sends a device string', `a${ESC}P$q q${ESC}\\b`, 'ab'],
  ['has eight-bit forms', 'a\x9b2Jb\x9d0;x\x9cc', 'abc'],
  ['is cut off', `a${ESC}[`, 'a'],
  ['rings', 'a\x07b', 'ab'],
  ['goes back', 'a\b\bb', 'ab'],
  ['overwrites itself', 'harmless\rrm -rf /', 'rm -rf /'],
  ['reverses the writing', 'a\u202eb', 'a\\u{202e}b'],
  ['hides text', 'a\u200bb\u2060c', 'a\\u{200b}b\\u{2060}c'],
  ['hides text in tags', 'a\u{e0041}b', 'a\\u{e0041}b'],
  ['has a joiner where none belongs', 'pay\u200dpal', 'pay\\u{200d}pal'],
  ['has a lone surrogate', 'a\ud800b', 'a\\u{d800}b'],
  ['has a variation where none belongs', 'a\ufe0fb', 'a\\u{fe0f}b'],
];

describe('[TUI-90, TUI-91, TUI-92] hostile text', () => {
  test.each(HOSTILE)('that %s', (_name, text, left) => {
    expect(safeText(text)).toBe(left);
  });

  test.each(HOSTILE)('that %s has no effect in an emulator', async (_name, text) => {
    const emulator = createEmulator({ columns: 80, rows: 10 });
    const row = toRow([{ text: safeLine(text), styles: ['strong'] }], SIXTEEN_COLOURS);
    await emulator.write(`before\r\n${row}\r\n${outputRow(text, SIXTEEN_COLOURS, safeLine)}\r\nafter`);
    expect(emulator.effects).toEqual([]);
    expect(emulator.window()[0]).toBe('before');
    expect(emulator.window()[3]).toBe('after');
  });

  test.each(HOSTILE)('that %s cannot pass the border of a row either', async (_name, text) => {
    const emulator = createEmulator({ columns: 80, rows: 10 });
    await emulator.write(toRow([{ text: text.replaceAll('\n', '') }], NO_COLOURS));
    expect(emulator.effects).toEqual([]);
  });
});

test('[TUI-92] emoji and letters that are spelled with joiners stay as they are', () => {
  for (const text of ['👨‍👩‍👧', '❤️', '🏳️‍🌈', '1️⃣', '👍🏽', 'می‌خواهم', 'क्‍ष', '🇩🇪', 'é', '日本語']) {
    expect(safeText(text)).toBe(text);
  }
});

test('[TUI-95] at most eight marks are put on one letter', () => {
  expect(safeText(`a${'\u0301'.repeat(10_000)}b`)).toBe(`a${'\u0301'.repeat(8)}b`);
});

test('[TUI-90] outputs of commands keep their colours up to the end of the row, and nothing else', () => {
  expect(outputRow(`${ESC}[31mred${ESC}[2J`, SIXTEEN_COLOURS, safeLine)).toBe(`${ESC}[31mred${ESC}[0m`);
  expect(outputRow(`${ESC}[31mred`, NO_COLOURS, safeLine)).toBe('red');
  expect(outputRow(`${ESC}[${'1;'.repeat(100)}mx`, SIXTEEN_COLOURS, safeLine)).toBe('x');
});

test('[TUI-90] of any text, the pieces by lines are the whole, and no control character is left', () => {
  const nasty = fc.constantFrom(
    ESC,
    `${ESC}[`,
    `${ESC}]0;`,
    '\x07',
    '\r',
    '\n',
    '\t',
    '\u202e',
    '\u200d',
    '\x9b',
    'J',
    '2',
    '👨',
    '\ufe0f',
    '日',
  );
  const text = fc
    .array(fc.oneof(nasty, fc.string({ unit: 'binary' })), { maxLength: 30 })
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(text, (each) => {
      const safe = safeText(each);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
      expect(safe).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f]|\u202e|\p{Cs}/u);
      const lines = each.replaceAll('\r\n', '\n').split('\n');
      expect(lines.map(safeText).join('\n')).toBe(safe);
      const row = toRow([{ text: safeLine(each), styles: ['dim'] }], SIXTEEN_COLOURS);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
      expect(textOfRow(row)).not.toMatch(/[\x00-\x1f\x7f-\x9f]/);
    }),
    { numRuns: 200 },
  );
});

test('tabs become blanks', () => {
  expect(expandTabs('\ta\tbc\td')).toBe('    a   bc  d');
});
