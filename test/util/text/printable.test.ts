import { expect, test } from 'vitest';
import { printable } from '../../../src/util/text/printable.ts';

test('what would act on a terminal is written as an escape', () => {
  expect(printable('a\u001b[2Kb\r\n\u009b31m\u202ecod\u2028')).toBe(
    'a\\u{1b}[2Kb\\u{d}\\u{a}\\u{9b}31m\\u{202e}cod\\u{2028}',
  );
});

test('everything else stays', () => {
  expect(printable('Größe "x" → 你好 🙂')).toBe('Größe "x" → 你好 🙂');
});
