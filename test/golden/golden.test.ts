import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { ROOT } from '../support/root.ts';
import { type Difference, expectedDifferences, unexpected, untrueEntries } from './differences.ts';
import { programs } from './sdk-programs.ts';

/**
 * Runs the recorded scenarios (wire/) against the built command line and compares every line, session file and request
 * with the recording. What differs on purpose stands in expected-differences.json with the ruling behind it; an entry
 * that occurs more or less often than it says fails as well.
 */
interface Outcome {
  scenario: string;
  status: 'same' | 'differs' | 'skipped';
  differences?: Difference[];
  reason?: string;
}

const scenarios = JSON.parse(readFileSync(join(ROOT, 'test/golden/scenarios.json'), 'utf8')) as string[];
const outcomes = new Map<string, Outcome>();

/** Some recordings depend on which of two things is ready first; on a loaded machine that may need another look. */
const LOOKS = 3;

/** The hooks of these scenarios are in files of the project, which act only where it is trusted (ruling G1). */
function needsTrust(scenario: string): boolean {
  return scenario.startsWith('sh-');
}

beforeAll(async () => {
  let due = scenarios;
  for (let look = 1; look <= LOOKS && due.length > 0; look++) {
    const [trusting, plain] = [due.filter(needsTrust), due.filter((scenario) => !needsTrust(scenario))];
    for (const outcome of await replay(plain)) outcomes.set(outcome.scenario, outcome);
    for (const outcome of await replay(trusting, ['--trust'])) outcomes.set(outcome.scenario, outcome);
    due = due.filter((scenario) => unexpectedIn(scenario).length > 0);
  }
}, 600_000);

test.each(scenarios)('golden: %s', (scenario) => {
  const outcome = outcomes.get(scenario);
  expect(outcome?.status, outcome?.reason ?? 'the scenario did not run').toMatch(/^(same|differs)$/);
  expect(unexpectedIn(scenario).map(({ path, message }) => `${path}: ${message}`)).toEqual([]);
});

test('every expected difference occurs, as often as the list says', () => {
  const found = new Map([...outcomes].map(([scenario, { differences = [] }]) => [scenario, differences]));
  const ours = expectedDifferences.filter(({ scenario }) => !scenario.startsWith('sdk-')); // see sdk-dialogs.test.ts
  expect(untrueEntries(ours, found)).toEqual([]);
});

test('every recording is compared, here or as a dialog of the SDK', () => {
  const recorded = readdirSync(join(ROOT, 'test/golden/wire')).filter((file) => file.endsWith('.ndjson'));
  const names = new Set(recorded.map((file) => file.slice(0, file.indexOf('.'))));
  const compared = new Set([...scenarios, ...Object.keys(programs)]);
  expect([...names].filter((name) => !compared.has(name))).toEqual([]);
});

test('every expected difference names a ruling', () => {
  expect(expectedDifferences.filter(({ ruling }) => !ruling?.trim())).toEqual([]);
});

function unexpectedIn(scenario: string): Difference[] {
  return unexpected(scenario, outcomes.get(scenario)?.differences ?? []);
}

/** The tool is not told about expected differences: it would not say which of the entries with a `*` occurred. */
async function replay(names: readonly string[], flags: readonly string[] = []): Promise<Outcome[]> {
  if (names.length === 0) return [];
  const tool = join(ROOT, 'test/golden/wire/tools/replay.mjs');
  const cli = [`"${process.execPath}"`, `"${join(ROOT, 'dist/cli.js')}"`, ...flags].join(' ');
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [tool, '--cli', cli, '--jobs', '5', '--json', ...names], {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (data: string) => {
      stdout += data;
    });
    child.stderr.setEncoding('utf8').on('data', (data: string) => {
      stderr += data;
    });
    child.on('error', reject);
    child.on('close', (code) => {
      if (code !== 0 && code !== 1) reject(new Error(`replay ended with ${code}: ${stderr}`));
      else
        resolve(
          stdout
            .split('\n')
            .filter(Boolean)
            .map((line) => JSON.parse(line) as Outcome),
        );
    });
  });
}
