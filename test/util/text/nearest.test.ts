import { expect, test } from 'vitest';
import { nearestWord, slipOf } from '../../../src/util/text/nearest.ts';

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

test.each([
  ['Bsh', 'Bash'],
  ['Bahs', 'Bash'],
  ['bash', 'Bash'],
  ['web_fetch', 'WebFetch'],
  ['Reads', 'Read'],
])('[K51] %s is one slip away from %s', (word, meant) => {
  expect(slipOf(word, TOOLS)).toBe(meant);
});

test.each(['Bash', 'Bsah2', 'Webserchs', 'Terraform', 'Bs', '', 'x'.repeat(200)])('[K51] %j is no slip', (word) => {
  expect(slipOf(word, TOOLS)).toBeNull();
});
