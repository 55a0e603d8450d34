// Tests that failed run once more, file by file, when nothing else runs. A fault of the product fails again. A test that
// depends on the speed of a busy machine passes now: it counts as passed, and the verdict names it as unstable.
import fs from 'node:fs';
import path from 'node:path';
import { reportFileOf, runVitest } from './run-vitest.mjs';
import { readPassed, readReport } from './test-report.mjs';
import { root } from './tree.mjs';

/** With more failed files than this, the change is at fault, not the machine. */
const MOST_FILES = 6;

/** Returns the report with `unstable: [title]`: what failed at first and passed alone. */
export async function lookAgain({ name, report }) {
  const files = [...new Set(report.failed.map(({ title }) => title.split(' > ')[0]))];
  const isKnown = files.every((file) => fs.existsSync(path.join(root, file)));
  if (files.length === 0 || files.length > MOST_FILES || !isKnown) return { ...report, unstable: [] };

  console.log(`\nOnce more, alone: ${files.join(', ')}`);
  const reportFile = reportFileOf(`${name}-again`);
  const exitCode = await runVitest({ args: ['run', '--no-file-parallelism', ...files], reportFile });
  const again = readReport(reportFile, exitCode);
  const passed = readPassed(reportFile);
  const unstable = report.failed.map(({ title }) => title).filter((title) => passed.has(title));
  const failed = [
    ...report.failed.filter(({ title }) => !passed.has(title)),
    ...again.failed.filter(({ title }) => !report.failed.some((first) => first.title === title)),
  ];
  return { ...report, passed: report.passed + unstable.length, failed, unstable };
}
