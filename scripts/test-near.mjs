#!/usr/bin/env node
// `npm run test:near`: the tests that a change touches, found by their imports. The change is what differs from the commit
// where the branch left main, uncommitted and new files included. `npm run test:near -- HEAD~3` compares with another.
//
// Tests that start processes use the built package, to which every source belongs. Of these, only files that were changed
// themselves are run.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { bundleStep } from './lib/checks.mjs';
import { reportFileOf, runVitest } from './lib/run-vitest.mjs';
import { runSteps } from './lib/steps.mjs';
import { addReports, readReport } from './lib/test-report.mjs';
import { filesByTier, isProcessTest, LONG_TESTS } from './lib/tiers.mjs';
import { root } from './lib/tree.mjs';
import { printVerdict } from './lib/verdict.mjs';

const CODE = /^(src|test|scripts|bench|examples)\/.*\.(ts|mjs|json)$/;

const started = performance.now();
const base = process.argv[2] ?? whereTheBranchBegan();
const changed = changedSince(base).filter((file) => CODE.test(file));
console.log(`${changed.length} files of code differ from ${base}`);

const { quick, rest } = filesByTier();
const ownProcessTests = [...quick, ...rest].filter((file) => isProcessTest(file) && changed.includes(file));

const build = await runSteps([bundleStep]);
const reports = [
  ...(changed.length > 0 ? [await runSome('near', ['related', '--run', '--project', 'inside', ...changed])] : []),
  ...(ownProcessTests.length > 0 ? [await runSome('near-processes', ['run', ...ownProcessTests])] : []),
];

printVerdict({
  name: 'near',
  report: addReports(reports),
  steps: build,
  notRun: [
    { what: 'static checks and test/arch', command: 'npm run check' },
    { what: 'tests that do not import what was changed, and those that start processes', command: 'npm run test:all' },
    ...LONG_TESTS,
  ],
  started,
});

async function runSome(name, args) {
  const reportFile = reportFileOf(name);
  const exitCode = await runVitest({ args: [...args, '--passWithNoTests'], reportFile });
  return readReport(reportFile, exitCode, { mayBeEmpty: true });
}

function whereTheBranchBegan() {
  for (const main of ['origin/main', 'main']) {
    try {
      return git('merge-base', 'HEAD', main).trim();
    } catch {} // there is no such branch here
  }
  return 'HEAD';
}

/** Files that are there and differ from a commit, as paths relative to the root. */
function changedSince(commit) {
  const tracked = git('diff', '--name-only', commit);
  const untracked = git('ls-files', '--others', '--exclude-standard');
  const files = `${tracked}${untracked}`.split('\n').filter(Boolean);
  return files.filter((file) => fs.existsSync(path.join(root, file)));
}

function git(...args) {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}
