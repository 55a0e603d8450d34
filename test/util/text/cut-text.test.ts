import { expect, test } from 'vitest';
import { cutText } from '../../../src/util/text/cut-text.ts';

test('a text that fits stays as it is', () => {
  expect(cutText('three', 5)).toBe('three');
  expect(cutText('🦊', 2)).toBe('🦊');
});

test('a longer text is cut, but never through a character', () => {
  expect(cutText('three', 4)).toBe('thre');
  expect(cutText('ab🦊c', 3)).toBe('ab');
  expect(cutText('ab🦊c', 4)).toBe('ab🦊');
  expect(cutText('🦊', 0)).toBe('');
});
