import { describe, expect, test } from 'vitest';
import { terminalOf } from '../../../src/cli/terminal/terminal.ts';
import { cutToWidth, displayWidth, padToWidth } from '../../../src/util/text/display-width.ts';

describe('colours', () => {
  const coloured = (out: object, env = {}) => terminalOf(out, env).paint.red('x') !== 'x';

  test('only on a terminal, and not against NO_COLOR', () => {
    expect(coloured({ isTTY: true })).toBe(true);
    expect(coloured({ isTTY: true }, { NO_COLOR: '' })).toBe(true);
    expect(coloured({ isTTY: true }, { NO_COLOR: '1' })).toBe(false);
    expect(coloured({ isTTY: true }, { TERM: 'dumb' })).toBe(false);
    expect(coloured({})).toBe(false);
  });

  test('the width is that of the terminal', () => {
    expect(terminalOf({ isTTY: true, columns: 44 }, {}).width).toBe(44);
    expect(terminalOf({ isTTY: true }, {}).width).toBe(80);
  });
});

describe('columns', () => {
  test.each([
    ['abc', 3],
    ['é', 1],
    ['e\u0301', 1],
    ['你好', 4],
    ['😀', 2],
    ['ｆ', 2],
  ])('%s takes %i', (text, width) => {
    expect(displayWidth(text)).toBe(width);
  });

  test('texts are cut and padded by what they take', () => {
    expect(cutToWidth('你好吗', 5)).toBe('你好…');
    expect(cutToWidth('abc', 3)).toBe('abc');
    expect(padToWidth('你', 4)).toBe('你  ');
  });
});
