import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { ROOT } from '../support/root.ts';

interface Mutation {
  row: string;
  file: string;
  tests: string[];
}
interface Mutations {
  readMutations(): Promise<Mutation[]>;
  problemOf(mutation: Mutation): string | null;
  chooseMutations(all: readonly Mutation[], options: { seed: number; rows: number }): Mutation[];
  titlePattern(rows: readonly string[]): string;
}

const lib = join(ROOT, 'scripts/lib/mutations.mjs');
const { readMutations, problemOf, chooseMutations, titlePattern } = (await import(
  /* @vite-ignore */ pathToFileURL(lib).href
)) as Mutations;
const table = await readMutations();

test('every mutation fits its source, and a test names its row', () => {
  expect(table.flatMap((each) => problemOf(each) ?? []).sort()).toEqual([]);
});

test('there are enough of them, for most kinds of rows', () => {
  expect(table.length).toBeGreaterThanOrEqual(60);
  const kinds = new Set(table.map(({ row }) => row.replace(/-?\d+[a-z]?$/, '')));
  expect(kinds.size).toBeGreaterThanOrEqual(30);
});

test('a seed always chooses the same rows, another one others', () => {
  const rows = (seed: number) => chooseMutations(table, { seed, rows: 20 }).map(({ row }) => row);
  expect(rows(1)).toEqual(rows(1));
  expect(rows(1)).not.toEqual(rows(2));
  expect(new Set(rows(1)).size).toBe(20);
});

test('the titles of a row are found, and no others', () => {
  const pattern = new RegExp(titlePattern(['S-1', 'K4']));
  const named = ['[S-1] a', '[R-1, S-1] b', '[K4, S-2] c'];
  expect([...named, '[S-10] d', '[SES-1] e', '[K44] f'].filter((title) => pattern.test(title))).toEqual(named);
});
