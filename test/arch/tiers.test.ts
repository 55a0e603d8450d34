import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
// @ts-expect-error a script without declarations
import { readTestTitles } from '../../scripts/lib/test-titles.mjs';
// @ts-expect-error a script without declarations
import { filesByTier, isProcessTest, rowsByTier, tiers } from '../../scripts/lib/tiers.mjs';
// @ts-expect-error a script without declarations
import { filesBelow } from '../../scripts/lib/tree.mjs';
import { ROOT } from '../support/root.ts';

/** test/tiers.json says which tests `npm test` leaves to `npm run test:rest`. */
describe('the two tiers of tests', () => {
  const smoke = tiers.smoke as string[];

  test('every row of spec/ that has a test has one in `npm test`: else its file is missing in test/tiers.json', () => {
    const { quick, rest } = rowsByTier(readTestTitles().places) as { quick: Set<string>; rest: Set<string> };
    expect(rest.size).toBeGreaterThan(100);
    expect([...rest].filter((id) => !quick.has(id))).toEqual([]);
  });

  test('smoke tests are files that are there, of folders whose tests start processes, in their order', () => {
    expect(smoke.filter((file) => !existsSync(join(ROOT, file)) || !isProcessTest(file))).toEqual([]);
    expect(smoke).toEqual([...new Set(smoke)].sort());
  });

  test('slow tests are files that are there, of folders whose tests start no processes, in their order', () => {
    const slow = tiers.slow as string[];
    const folders = tiers.processFolders as string[];
    const isElsewhere = (file: string) => folders.some((folder) => file.startsWith(`${folder}/`));
    expect(slow.filter((file) => !existsSync(join(ROOT, file)) || isElsewhere(file))).toEqual([]);
    expect(slow).toEqual([...new Set(slow)].sort());
  });

  test('both tiers have tests, and no file is in both', () => {
    const { quick, rest } = filesByTier() as { quick: string[]; rest: string[] };
    expect(quick.filter((file) => rest.includes(file))).toEqual([]);
    expect(Math.min(quick.length, rest.length)).toBeGreaterThan(50);
  });
});

/** Used by test/trust only, where each file loads its helpers again. */
const OF_LONG_TESTS = ['test/support/abuse-run.ts'];
/** What vitest loads again for every file. */
const SETUP_FILES = ['test/support/guard.ts', 'test/support/no-leaks.ts'];

test('a helper registers no hook at its top level, which would work for the first file that loads it only', () => {
  const helpers = (filesBelow('test') as string[]).filter(
    (file) => file.endsWith('.ts') && !/\.test(-d)?\.ts$/.test(file),
  );
  const withHooks = helpers.filter((file) =>
    /^(before|after)(Each|All)\(/m.test(readFileSync(join(ROOT, file), 'utf8')),
  );
  expect(withHooks.filter((file) => ![...OF_LONG_TESTS, ...SETUP_FILES].includes(file))).toEqual([]);
});
