// The table of mutations (test/mutations/*.mjs), which tests are to notice each of them, and the choice by a seed.
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { readTestTitles } from './test-titles.mjs';
import { filesBelow, root } from './tree.mjs';

/**
 * Every mutation, in the order of the table: `{ row, file, from, to, why, tests }`. `from` is a text of `file` and `to`
 * what takes its place, which breaks the promise of `row`; `tests` are the files with a test that names the row.
 */
export async function readMutations() {
  const { places } = readTestTitles();
  const tables = filesBelow('test/mutations').filter((file) => file.endsWith('.mjs'));
  const modules = await Promise.all(tables.sort().map((file) => import(pathToFileURL(path.join(root, file)).href)));
  return modules
    .flatMap(({ mutations }) => mutations)
    .map((mutation) => ({ ...mutation, tests: runnable(places.get(mutation.row) ?? []) }));
}

/** Short tests only: neither those of test/trust nor what only the type checker reads. */
function runnable(files) {
  return [...files].filter((file) => file.endsWith('.test.ts') && !file.startsWith('test/trust/'));
}

/** What is wrong with a mutation, in words: it no longer fits the source, or nothing could notice it. Null: nothing. */
export function problemOf({ file, from, to, tests }) {
  const source = path.join(root, file);
  if (!fs.existsSync(source)) return `${file} does not exist`;
  const times = fs.readFileSync(source, 'utf8').split(from).length - 1;
  if (times !== 1) return `its text occurs ${times} times in ${file}, not once: ${JSON.stringify(from)}`;
  if (from === to) return 'it changes nothing';
  if (tests.length === 0) return 'no test names its row';
  return null;
}

/** Some of them, the same ones for the same seed and table. */
export function chooseMutations(all, { seed, rows }) {
  const random = seededRandom(seed);
  const order = all.map((mutation) => ({ mutation, at: random() })).sort((a, b) => a.at - b.at);
  return order.slice(0, rows).map(({ mutation }) => mutation);
}

/** Matches the titles that name one of the rows: `S-1` is neither in `[S-10]` nor in `[SES-1]`. */
export function titlePattern(rows) {
  return `(?<![\\w-])(${rows.join('|')})(?![\\w-])`;
}

/** Mulberry32: numbers in [0, 1). */
function seededRandom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
