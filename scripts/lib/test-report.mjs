// Reads vitest's JSON report. What the report cannot say (a file that did not load, an error outside any test, no report
// at all) is counted as a failed test of its own: a run that broke must never look like a run that passed.
import fs from 'node:fs';
import path from 'node:path';
import { root } from './tree.mjs';

/** Returns `{ passed: number, failed: [{ title, message }], skipped: [title] }`. No test at all has failed, unless it may. */
export function readReport(file, exitCode, { mayBeEmpty = false } = {}) {
  if (!fs.existsSync(file))
    return { passed: 0, failed: [broken(`vitest ended with ${exitCode} and no report`)], skipped: [] };
  const { testResults } = JSON.parse(fs.readFileSync(file, 'utf8'));
  const report = { passed: 0, failed: [], skipped: [] };
  for (const suite of testResults) addSuite(report, suite);
  if (exitCode !== 0 && report.failed.length === 0)
    report.failed.push(broken(`vitest ended with ${exitCode}, see above`));
  if (!mayBeEmpty && report.passed + report.failed.length === 0) report.failed.push(broken('no test ran'));
  return report;
}

/** The titles of all tests that a report says have passed, as `readReport` writes them. */
export function readPassed(file) {
  if (!fs.existsSync(file)) return new Set();
  const { testResults } = JSON.parse(fs.readFileSync(file, 'utf8'));
  return new Set(
    testResults.flatMap((suite) =>
      suite.assertionResults.filter(({ status }) => status === 'passed').map((test) => titleOf(suite, test)),
    ),
  );
}

/** One report of several. */
export function addReports(reports) {
  return {
    passed: reports.reduce((sum, { passed }) => sum + passed, 0),
    failed: reports.flatMap(({ failed }) => failed),
    skipped: reports.flatMap(({ skipped }) => skipped),
  };
}

/** Every test of a report: `{ title, status }`, the titles with those of the groups around them. */
export function readTests(file) {
  if (!fs.existsSync(file)) return [];
  const { testResults } = JSON.parse(fs.readFileSync(file, 'utf8'));
  return testResults.flatMap(({ assertionResults }) =>
    assertionResults.map(({ ancestorTitles, title, status }) => ({
      title: [...ancestorTitles, title].join(' > '),
      status,
    })),
  );
}

function addSuite(report, suite) {
  const name = path.relative(root, suite.name);
  let failedHere = 0;
  for (const test of suite.assertionResults) {
    const title = titleOf(suite, test);
    if (test.status === 'passed') report.passed++;
    else if (test.status === 'failed') {
      failedHere++;
      report.failed.push({ title, message: withoutStack(test.failureMessages.join('\n')) });
    } else report.skipped.push(title);
  }
  if (suite.status === 'failed' && failedHere === 0) report.failed.push({ title: name, message: suite.message });
}

function titleOf(suite, test) {
  return [path.relative(root, suite.name), ...test.ancestorTitles, test.title].join(' > ');
}

/** Vitest has shown the whole error already; here it is a reminder. */
function withoutStack(message) {
  return message
    .split('\n')
    .filter((line) => !/^\s+at /.test(line))
    .slice(0, 10)
    .join('\n');
}

function broken(message) {
  return { title: 'the test run', message };
}
