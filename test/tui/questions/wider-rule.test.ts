import { expect, test } from 'vitest';
import { widerRule } from '../../../src/tui/questions/rule-text.ts';

test.each([
  ['npm test -- --watch=false', 'npm test:*'],
  ['node --test', 'node --test:*'],
  ['node --test src/a.test.ts', 'node --test:*'],
  ['cat src/a.ts', 'cat:*'],
  ['git log', 'git log'],
])('[TUI-42] an edit of the rule for %s begins with %s', (command, rule) => {
  expect(widerRule(`Bash(${command})`)).toBe(`Bash(${rule})`);
});
