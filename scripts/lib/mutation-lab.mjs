// A copy of the repository in which mutations are tried, so that nothing ever happens to the sources themselves.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { titlePattern } from './mutations.mjs';
import { runCommand } from './run-command.mjs';
import { root } from './tree.mjs';

const LEFT_OUT = new Set(['node_modules', '.git', 'test-results', 'dist']);
const BUILD_MS = 120_000;
const TESTS_MS = 600_000;
/** A test that waits in vain fails, too, but says nothing about the behaviour that it names. */
const TIME_OUT = /^(Error: )?(Test|Hook) timed out in/;

/** Copies the repository as it is now, uncommitted changes included. `remove` takes the copy away. */
export function openLab() {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'heddle-mutate-')));
  for (const name of fs.readdirSync(root)) {
    if (!LEFT_OUT.has(name)) fs.cpSync(path.join(root, name), path.join(folder, name), { recursive: true });
  }
  // The bundles are built there; the declarations take longer, and no mutation is one of types.
  const types = path.join(root, 'dist/types');
  if (fs.existsSync(types)) fs.cpSync(types, path.join(folder, 'dist/types'), { recursive: true });
  fs.symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
  return {
    /** How the tests do that name the rows: as they are, with nothing mutated. */
    baseline: (mutations) => {
      const tests = [...new Set(mutations.flatMap((mutation) => mutation.tests))];
      const rows = [...new Set(mutations.map(({ row }) => row))];
      return buildAndTest(folder, rows, tests);
    },
    /** `ignored`: titles that say nothing, because they fail without any mutation, too. */
    tryOut: (mutation, ignored) => tryOut(folder, mutation, ignored),
    remove: () => fs.rmSync(folder, { recursive: true, force: true, maxRetries: 3 }),
  };
}

/**
 * Applies one mutation, runs the tests that name its row, and takes it back. The verdict is `killed` when one of them
 * failed, `survived` when all passed, and `broken` when that cannot be told: it did not build, no test ran, or the only
 * failures are time-outs.
 */
async function tryOut(folder, { row, file, from, to, tests }, ignored) {
  const source = path.join(folder, file);
  const original = fs.readFileSync(source, 'utf8');
  fs.writeFileSync(
    source,
    original.replace(from, () => to),
  );
  try {
    const { problem, passed, failed } = await buildAndTest(folder, [row], tests);
    if (problem !== null) return { verdict: 'broken', problem };
    const killers = failed.filter(({ title, isTimeOut }) => !isTimeOut && !ignored.has(title));
    if (killers.length > 0) return { verdict: 'killed', by: killers.map(({ title }) => title) };
    if (failed.some(({ isTimeOut }) => isTimeOut))
      return { verdict: 'broken', problem: `only time-outs: ${failed[0].title}` };
    return { verdict: 'survived', by: passed };
  } finally {
    fs.writeFileSync(source, original);
  }
}

/** `{ problem, passed: [title], failed: [{ title, isTimeOut, message }] }`; a problem means that the rest says nothing. */
async function buildAndTest(folder, rows, tests) {
  const none = { passed: [], failed: [] };
  const build = await runCommand(process.execPath, ['scripts/build.mjs', '--no-types'], {
    cwd: folder,
    limitMs: BUILD_MS,
  });
  if (build.code !== 0) return { ...none, problem: `it does not build:\n${build.output.trim()}` };
  const report = path.join(folder, 'test-results/mutation.json');
  fs.rmSync(report, { force: true });
  const args = ['run', '--reporter=json', `--outputFile.json=${report}`, '-t', titlePattern(rows), ...tests];
  const run = await runCommand(process.execPath, ['node_modules/vitest/vitest.mjs', ...args], {
    cwd: folder,
    limitMs: TESTS_MS,
  });
  if (!fs.existsSync(report)) return { ...none, problem: `the tests gave no report:\n${run.output.slice(-2000)}` };
  return readVerdicts(JSON.parse(fs.readFileSync(report, 'utf8')), folder);
}

function readVerdicts({ testResults }, folder) {
  const passed = [];
  const failed = [];
  let problem = null;
  for (const { name, assertionResults, status, message } of testResults) {
    const file = path.relative(folder, name);
    for (const test of assertionResults) {
      const title = `${file} > ${[...test.ancestorTitles, test.title].join(' > ')}`;
      if (test.status === 'passed') passed.push(title);
      if (test.status !== 'failed') continue;
      const said = test.failureMessages.join('\n');
      failed.push({ title, isTimeOut: TIME_OUT.test(said), message: said });
    }
    const hasFailure = assertionResults.some((test) => test.status === 'failed');
    if (status === 'failed' && !hasFailure) problem ??= `${file} could not be run: ${message}`;
  }
  if (passed.length + failed.length === 0) problem ??= 'no test ran';
  return { problem: failed.length > 0 ? null : problem, passed, failed };
}
