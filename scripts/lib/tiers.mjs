// The two tiers of tests. `npm test` runs the quick one: the tests that run inside of the test process, and smoke tests, as
// test/tiers.json names them. `npm run test:rest` runs the other tests that start processes; `npm run test:all` runs both.
import fs from 'node:fs';
import path from 'node:path';
import { filesBelow, root } from './tree.mjs';

/** What no tier runs, and the commands that do. */
export const LONG_TESTS = [
  { what: 'the long tests of test/trust', command: 'npm run trust' },
  { what: 'the mutations of test/mutations', command: 'npm run mutate' },
];

/**
 * `processFolders`: folders whose tests start processes. `smoke`: files of these that belong to `npm test`. `slow`: files of
 * other folders that it leaves out, because they take long and other files hold their rows.
 */
export const tiers = JSON.parse(fs.readFileSync(path.join(root, 'test/tiers.json'), 'utf8'));

export function isProcessTest(file) {
  return tiers.slow.includes(file) || tiers.processFolders.some((folder) => file.startsWith(`${folder}/`));
}

/** Every test file but the long ones: `{ quick: [file], rest: [file] }`. */
export function filesByTier() {
  const files = filesBelow('test').filter((file) => file.endsWith('.test.ts') && !file.startsWith('test/trust/'));
  const isQuick = (file) => !isProcessTest(file) || tiers.smoke.includes(file);
  return { quick: files.filter(isQuick), rest: files.filter((file) => !isQuick(file)) };
}

/**
 * The rows of spec/ that each tier holds: `{ quick: Set, rest: Set }`. `places` tells in which files each row is named
 * (test-titles.mjs). A suite of cases belongs to the test files that import it.
 */
export function rowsByTier(places) {
  const { quick, rest } = filesByTier();
  const rowsOf = (files) => {
    const sources = files.map((file) => fs.readFileSync(path.join(root, file), 'utf8'));
    const isRun = (file) =>
      file.endsWith('-suite.ts')
        ? file.startsWith('src/') || sources.some((source) => source.includes(`/${path.basename(file)}'`))
        : files.includes(file);
    return new Set([...places].filter(([, named]) => [...named].some(isRun)).map(([id]) => id));
  };
  return { quick: rowsOf(quick), rest: rowsOf(rest) };
}

/** `82 files of test/e2e`, for each folder. */
export function countByFolder(files) {
  const counts = new Map();
  for (const file of files) {
    const folder = file.split('/').slice(0, 2).join('/');
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts].map(([folder, count]) => `${count} ${count === 1 ? 'file' : 'files'} of ${folder}`);
}
