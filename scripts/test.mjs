#!/usr/bin/env node
// The tests, in two tiers. Both run everything but the long tests of test/trust (`npm run trust`).
//
//   npm test           the quick tier: build, static checks, the tests that run inside of the test process, smoke tests
//   npm run test:rest  what the quick tier leaves out: the other tests that start processes, then the reference SDK
//                      against our command line (`npm run interop`), the packed package in an empty folder
//                      (`npm run tarball`), and what a run costs beside the floor (`npm run bench`)
//   npm run test:all   both
//
// The last line is `N passed, M failed` and nothing else; each check counts as one. With `--after-quick` it counts what
// the `npm test` before it has counted, too. Any other argument goes to vitest: only the tests that it names are run.
import { buildStep, costStep, staticChecks } from './lib/checks.mjs';
import { prepareInterop } from './lib/interop-step.mjs';
import { reportFileOf, runVitest } from './lib/run-vitest.mjs';
import { lookAgain } from './lib/second-look.mjs';
import { runSteps } from './lib/steps.mjs';
import { startTarball } from './lib/tarball-step.mjs';
import { readReport } from './lib/test-report.mjs';
import { countByFolder, filesByTier, LONG_TESTS } from './lib/tiers.mjs';
import { forgetCounts, printVerdict, readCounts } from './lib/verdict.mjs';

/** `projects` are those of vitest.config.ts. `checks`: the static ones; `product`: the package as others use it. */
const TIERS = {
  quick: { projects: ['inside', 'smoke'], checks: true, product: false },
  rest: { projects: ['processes'], checks: false, product: true },
  all: { projects: ['inside', 'smoke', 'processes'], checks: true, product: true },
};

const started = performance.now();
const [name, ...others] = process.argv.slice(2);
if (!Object.hasOwn(TIERS, name)) throw new Error(`The first argument is a tier: ${Object.keys(TIERS).join(', ')}.`);
const wanted = others.filter((word) => word !== '--after-quick');
const earlier = others.includes('--after-quick') ? readCounts('quick') : undefined;
const isWhole = wanted.length === 0;
const tier = isWhole ? TIERS[name] : { projects: [], checks: true, product: false };
forgetCounts(name);

const none = async () => [];
const runInterop = tier.product ? prepareInterop() : none;
const [[build], checks] = await Promise.all([runSteps([buildStep]), tier.checks ? runSteps(staticChecks) : []]);
const runTarball = tier.product && build.ok ? startTarball() : none;

const reportFile = reportFileOf(name);
const projects = tier.projects.flatMap((project) => ['--project', project]);
const exitCode = await runVitest({ args: ['run', ...projects, ...wanted], reportFile });
const tarball = await runTarball();
const interop = await runInterop();
// Last, when nothing else runs.
const report = await lookAgain({ name, report: readReport(reportFile, exitCode) });
const cost = tier.product ? await runSteps([costStep]) : [];

printVerdict({
  name,
  report,
  // With `--after-quick` the build was counted already, unless it fails only now.
  steps: [...(earlier && build.ok ? [] : [build]), ...checks, ...tarball, ...interop, ...cost],
  notRun: notRun(),
  started,
  earlier,
});

function notRun() {
  if (!isWhole) return [{ what: 'all tests but those that were asked for', command: 'npm run test:all' }];
  const { quick, rest } = filesByTier();
  const processes = {
    what: [...countByFolder(rest), 'interop', 'tarball', 'the budgets of bench'].join(', '),
    command: 'npm run test:rest',
  };
  const inside = { what: `${quick.length} quick files and the static checks`, command: 'npm test' };
  const left = name === 'quick' ? [processes] : name === 'rest' && !earlier ? [inside] : [];
  return [...left, ...LONG_TESTS];
}
