import { spawnSync } from 'node:child_process';
import { beforeAll, expect, test } from 'vitest';
import { ROOT } from '../support/root.ts';

interface Report {
  undocumented: string[];
  stale: string[];
  broken: string[];
}
let report: Report;

// Two programs of the compiler, on a machine that may be busy.
beforeAll(() => {
  const { stdout, stderr } = spawnSync(process.execPath, ['scripts/api-docs.mjs', '--check'], { cwd: ROOT });
  if (stdout.length === 0) throw new Error(String(stderr));
  report = JSON.parse(String(stdout));
}, 120_000);

test('every function and class that is exported says what it does, with an example', () => {
  expect(report.undocumented).toEqual([]);
});

test('docs/reference/api is up to date (`node scripts/api-docs.mjs` writes it)', () => {
  expect(report.stale).toEqual([]);
});

test('the examples in comments and the programs of all pages compile', () => {
  expect(report.broken).toEqual([]);
});
