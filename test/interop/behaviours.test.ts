import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../support/root.ts';
import { CASES } from './cases/index.ts';
import { REVERSE_CASES } from './reverse-cases.ts';

const listed = readFileSync(join(ROOT, 'test/interop/behaviours.md'), 'utf8');
const [counted = '', reverse = '', pending = ''] = listed.split(/^## (?:The other way round|Pending)$/m);

test('behaviours.md lists the cases that the reference SDK drives us through, and no others', () => {
  const rows = CASES.map(({ id, title, only }) => `| ${id} | ${title} | ${only ?? 'both'} |`);
  expect(rowsOf(counted)).toEqual(rows);
});

test('and those in which our SDK drives the command line of the reference', () => {
  expect(rowsOf(reverse)).toEqual(REVERSE_CASES.map(({ id, title }) => `| ${id} | ${title} |`));
});

test('there are at least 40 of them for each version', () => {
  for (const version of ['0.2.44', '0.3.325']) {
    expect(CASES.filter(({ only }) => only === undefined || only === version).length).toBeGreaterThanOrEqual(40);
  }
});

test('ids are unique, and what is pending is not counted', () => {
  const ids = CASES.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  const waiting = rowsOf(pending).map((row) => row.split(' | ')[0]?.slice(2));
  expect(waiting.filter((id) => ids.includes(id ?? ''))).toEqual([]);
});

function rowsOf(text: string): string[] {
  return text.split('\n').filter((line) => /^\| [a-z0-9-]+ \| /.test(line) && !line.startsWith('| id |'));
}
