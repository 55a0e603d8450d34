// The end of a test run: what failed, what was skipped, what was not run at all, how long it took, and the verdict.
import fs from 'node:fs';
import path from 'node:path';
import { root } from './tree.mjs';

/** With CI=true a skipped test has failed: there is nobody to notice that it did not run. */
const skippedFails = process.env.CI === 'true';

/**
 * Prints the end of a run and sets the exit code. The last line is `N passed, M failed` and nothing else.
 * `report`: of `readReport`, perhaps with `unstable` of `lookAgain`. `steps`: each counts as one. `notRun`: lines, each with the command that runs it.
 * `earlier`: the counts of a run before this one, which are added up with those of this one.
 */
export function printVerdict({ name, report, steps, notRun, started, earlier }) {
  for (const { title, message } of report.failed)
    console.log(`\nFAILED TEST  ${title}\n${message.replace(/^/gm, '    ')}`);
  if (report.skipped.length > 0) {
    console.log(`\n${report.skipped.length} SKIPPED${skippedFails ? ', which counts as failed here' : ''}:`);
    for (const title of report.skipped) console.log(`    SKIPPED  ${title}`);
  }
  if (report.unstable?.length > 0) {
    console.log('\nUNSTABLE, to be mended: failed beside other tests, passed alone');
    for (const title of report.unstable) console.log(`    UNSTABLE  ${title}`);
  }
  const failedSteps = steps.filter((step) => !step.ok);
  if (failedSteps.length > 0) console.log(`\nFAILED CHECKS: ${failedSteps.map((step) => step.name).join(', ')}`);

  const own = {
    passed: report.passed + steps.length - failedSteps.length,
    failed: report.failed.length + failedSteps.length + (skippedFails ? report.skipped.length : 0),
  };
  fs.mkdirSync(path.join(root, 'test-results'), { recursive: true });
  fs.writeFileSync(countsFile(name), JSON.stringify(own));

  console.log('\nNot run here:');
  for (const { what, command } of notRun) console.log(`    ${what}: ${command}`);
  console.log(`\ntime: ${inMinutes(performance.now() - started)}`);
  if (earlier) console.log(`${inWords(earlier)} in \`npm test\`, ${inWords(own)} here; together:`);
  const all = earlier ? { passed: earlier.passed + own.passed, failed: earlier.failed + own.failed } : own;
  console.log(`\n${inWords(all)}`);
  process.exitCode = all.failed === 0 ? 0 : 1;
}

/** Before a run begins: its counts of last time must not be taken for those of this time. */
export function forgetCounts(name) {
  fs.rmSync(countsFile(name), { force: true });
}

/** The counts that a run has left. One that left none broke, which is a failure. */
export function readCounts(name) {
  if (fs.existsSync(countsFile(name))) return JSON.parse(fs.readFileSync(countsFile(name), 'utf8'));
  return { passed: 0, failed: 1 };
}

function countsFile(name) {
  return path.join(root, `test-results/${name}-counts.json`);
}

function inWords({ passed, failed }) {
  return `${passed} passed, ${failed} failed`;
}

function inMinutes(ms) {
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
