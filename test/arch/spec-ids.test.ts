import { execFileSync } from 'node:child_process';
import { beforeAll, expect, test } from 'vitest';
import { ROOT } from '../support/root.ts';

interface SpecReport {
  unknown: { id: string; file: string; title: string }[];
  crowded: { file: string; title: string }[];
}

let report: SpecReport;
beforeAll(() => {
  const json = execFileSync(process.execPath, ['scripts/spec.mjs', '--json'], { cwd: ROOT, encoding: 'utf8' });
  report = JSON.parse(json) as SpecReport;
});

test('every id in a test title is a row of spec/', () => {
  expect(report.unknown).toEqual([]);
});

test('no test claims more than three rows', () => {
  expect(report.crowded).toEqual([]);
});
