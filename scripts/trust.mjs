#!/usr/bin/env node
// `npm run trust`: the long tests of test/trust, and a table of what they have shown of each invariant of spec/trust.md.
import fs from 'node:fs';
import path from 'node:path';
import { reportFileOf, runVitest } from './lib/run-vitest.mjs';
import { readGaps, readRows } from './lib/spec-rows.mjs';
import { readReport, readTests } from './lib/test-report.mjs';
import { root } from './lib/tree.mjs';
import { trustLines, trustRows, uncheckedIn } from './lib/trust-table.mjs';

const HELP = `Usage: npm run trust -- [test file …] [options of vitest]

Runs the long tests of test/trust against the built command line, then prints a line for each invariant of
spec/trust.md: whether it holds, how many tests have looked at it, and what they have counted.

  npm run trust                                     everything; half an hour on two cores
  npm run trust -- test/trust/damage.test.ts        one file; only what it is about is shown
  npm run trust -- deny                             the attack corpus against deny rules; classes in test-results/deny-classes.md
  HEDDLE_TRUST_SEED=7 npm run trust -- …            the same tests with other random choices
  HEDDLE_TRUST_POINTS=40 npm run trust -- …         less of it; see test/trust/size.ts for all of them

Exit code 1 when a test has failed or, in a run of everything, when nothing has looked at an invariant that
spec/gaps.md does not name.
`;

const reportFile = reportFileOf('trust');
const figuresFile = path.join(root, 'test-results/trust-figures.ndjson');
const wanted = process.argv.slice(2);
const isWhole = wanted.length === 0;

if (wanted.includes('--help') || wanted.includes('-h')) process.stdout.write(HELP);
else await run();

async function run() {
  const started = Date.now();
  fs.rmSync(figuresFile, { force: true });
  const args = ['run', '--config', 'vitest.trust.config.ts', ...wanted];
  const exitCode = await runVitest({ args, reportFile });
  const rows = trustRows({
    ids: readRows().map(({ id }) => id),
    tests: readTests(reportFile),
    figures: readFigures(),
    gaps: readGaps(),
  });
  const { failed } = readReport(reportFile, exitCode);
  const unchecked = isWhole ? uncheckedIn(rows) : [];

  console.log(`\n${trustLines(rows, { isWhole }).join('\n')}\n`);
  for (const { title } of failed) console.log(`FAILED  ${title}`);
  if (unchecked.length > 0) console.log(`Nothing has looked at ${unchecked.join(', ')}.`);
  const seed = process.env.HEDDLE_TRUST_SEED ?? 'the standard one of each test';
  console.log(`${Math.round((Date.now() - started) / 1000)} s, seed: ${seed}`);
  process.exitCode = failed.length + unchecked.length === 0 ? 0 : 1;
}

function readFigures() {
  if (!fs.existsSync(figuresFile)) return [];
  const lines = fs.readFileSync(figuresFile, 'utf8').split('\n');
  return lines.filter(Boolean).map((line) => JSON.parse(line));
}
