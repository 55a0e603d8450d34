import { expect, test } from 'vitest';
import { nearestWord } from '../../src/util/nearest.ts';

const TOOLS = ['Bash', 'Read', 'Edit', 'WebFetch', 'WebSearch'];

test.each([
  ['Bahs', 'Bash'],
  ['bash', 'Bash'],
  ['WebFecth', 'WebFetch'],
  ['Webserch', 'WebSearch'],
  ['Reed', 'Read'],
])('%s probably means %s', (word, meant) => {
  expect(nearestWord(word, TOOLS)).toBe(meant);
});

test.each(['Terraform', 'X', ''])('%j means none of them', (word) => {
  expect(nearestWord(word, TOOLS)).toBeNull();
});
