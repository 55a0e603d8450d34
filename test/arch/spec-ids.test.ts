import { execFileSync, spawnSync } from 'node:child_process';
import { beforeAll, expect, test } from 'vitest';
import { ROOT } from '../support/root.ts';
import { PYTHON_FEATURES } from './python-features.ts';

interface SpecReport {
  groups: { covered: string[] }[];
  unknown: { id: string; file: string; title: string }[];
  crowded: { file: string; title: string }[];
}

let report: SpecReport;
beforeAll(() => {
  const json = execFileSync(process.execPath, ['scripts/spec.mjs', '--json'], { cwd: ROOT, encoding: 'utf8' });
  report = JSON.parse(json) as SpecReport;
}, 120_000); // it parses every test

test('every id in a test title is a row of spec/', () => {
  expect(report.unknown).toEqual([]);
});

test('no test claims more than three rows', () => {
  expect(report.crowded).toEqual([]);
});

test('[DSC-12] each of the 33 features of the SDK in Python is held by tests here', () => {
  expect(Object.keys(PYTHON_FEATURES)).toHaveLength(33);
  const covered = new Set(report.groups.flatMap((group) => group.covered));
  const missing = Object.entries(PYTHON_FEATURES).filter(([, rows]) => rows.some((row) => !covered.has(row)));
  expect(missing).toEqual([]);
});

test('an option that the report does not have is named, with those that it has', () => {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/spec.mjs', '--jsn'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringMatching(/'--jsn'[\s\S]*--json/) });
});
