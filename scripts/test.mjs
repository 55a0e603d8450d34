#!/usr/bin/env node
// `npm test`: build, static checks, every test but the long ones of test/trust (`npm run trust`), then the reference SDK
// against our command line (`npm run interop`), the packed package in an empty folder (`npm run tarball`), and what a run
// costs beside the floor (`npm run bench`), unless only some tests were asked for.
// The last line is `N passed, M failed` and nothing else; each check counts as one. A skipped test is listed, and with
// CI=true it has failed: there is nobody to notice that it did not run.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { buildStep, costStep, staticChecks } from './lib/checks.mjs';
import { prepareInterop } from './lib/interop-step.mjs';
import { runSteps } from './lib/steps.mjs';
import { startTarball } from './lib/tarball-step.mjs';
import { readReport } from './lib/test-report.mjs';
import { root } from './lib/tree.mjs';

const reportFile = path.join(root, 'test-results/vitest.json');
const skippedFails = process.env.CI === 'true';
const wanted = process.argv.slice(2);

const runInterop = wanted.length === 0 ? prepareInterop() : async () => [];

const [build, checks] = await Promise.all([runSteps([buildStep]), runSteps(staticChecks)]);
const runTarball = wanted.length === 0 && build[0].ok ? startTarball() : async () => [];
fs.rmSync(reportFile, { force: true });
const exitCode = await runVitest();
const report = readReport(reportFile, exitCode);
const tarball = await runTarball();
const interop = await runInterop();
// Last, when nothing else runs.
const cost = wanted.length === 0 ? await runSteps([costStep]) : [];

for (const { title, message } of report.failed)
  console.log(`\nFAILED TEST  ${title}\n${message.replace(/^/gm, '    ')}`);
if (report.skipped.length > 0) {
  console.log(`\n${report.skipped.length} SKIPPED${skippedFails ? ', which counts as failed here' : ''}:`);
  for (const title of report.skipped) console.log(`    SKIPPED  ${title}`);
}

const steps = [...build, ...checks, ...tarball, ...interop, ...cost];
const failedSteps = steps.filter((step) => !step.ok);
if (failedSteps.length > 0) console.log(`\nFAILED CHECKS: ${failedSteps.map((step) => step.name).join(', ')}`);

const passed = report.passed + steps.length - failedSteps.length;
const failed = report.failed.length + failedSteps.length + (skippedFails ? report.skipped.length : 0);
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

function runVitest() {
  const args = ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`];
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['node_modules/vitest/vitest.mjs', ...args, ...wanted], {
      cwd: root,
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    child.on('error', reject);
    child.on('close', resolve);
  });
}
