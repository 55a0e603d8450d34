#!/usr/bin/env node
// `npm run bench`: Heddle beside the floor, and beside another command line if one is given, in one run and interleaved,
// against the budgets of budgets.json.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { scriptFlags } from '../scripts/lib/script-flags.mjs';
import { makeColdCopy } from './cold-copy.mjs';
import { makeLongSession } from './long-session.mjs';
import { judge, markdownTable, medians, ratiosOnly, textTable } from './report.mjs';
import { runRounds } from './rounds.mjs';
import { startModel } from './scripted-model.mjs';
import { makeSessionHome } from './session-home.mjs';
import { workloads } from './workloads.mjs';

const HELP = `Usage: npm run bench -- [options]

Runs every workload with Heddle and with the floor in turns, and prints the medians beside the budgets.

  --runs N          medians of N rounds (default 7); what takes minutes is done once
  --only NAMES      these workloads, separated by commas: ${workloads.map(({ name }) => name).join(', ')}
  --against "CMD"   a third column: another command line that takes the same flags
  --cli "CMD"       another build in Heddle's place
  --json            the figures as JSON
  --markdown        the table as Markdown
  --check           exit 1 when a budget is missed; a miss counts when twice as many more rounds confirm it
  --ratios          only budgets that hold on any machine: multiples of the floor, memory, bytes, counts
  --help            this text

Examples:
  npm run bench -- --runs 3 --only hello,turns100
  npm run bench -- --against "node /opt/agent/cli.js" --markdown
`;

const here = path.dirname(fileURLToPath(import.meta.url));
const flags = scriptFlags({
  name: 'bench',
  help: HELP,
  options: {
    ...{ runs: { type: 'string', default: '7' }, only: { type: 'string' }, cli: { type: 'string' } },
    ...{ against: { type: 'string' }, json: { type: 'boolean' }, markdown: { type: 'boolean' } },
    ...{ check: { type: 'boolean' }, ratios: { type: 'boolean' } },
  },
  check: checked,
});
const chosen = workloads.filter(({ name }) => !flags.only || flags.only.includes(name));
const base = fs.mkdtempSync(path.join(os.tmpdir(), 'heddle-bench-'));
const work = path.join(base, 'work');
const model = await startModel();
try {
  fs.mkdirSync(work);
  const setting = {
    given: { heddle: flags.cli, other: flags.against },
    longSessions: prepare(),
    coldCopy: chosen.some(({ needsColdCopy }) => needsColdCopy) ? makeColdCopy(base) : undefined,
    place: { cwd: work, env: environment() },
    model,
    tell: (text) => process.stderr.write(text),
  };
  let samples = await runRounds({ ...setting, chosen, runs: flags.runs });
  if (flags.check && judged(samples).some(isMissed)) {
    // Other work on the machine disturbs a few rounds more than many: the medians of all of them decide.
    const again = chosen.filter(({ once }) => !once);
    samples = joined(samples, await runRounds({ ...setting, chosen: again, runs: 2 * flags.runs }));
  }
  report(judged(samples));
} finally {
  model.stop();
  fs.rmSync(base, { recursive: true, force: true, maxRetries: 3 });
}

function checked({ runs, only, ...values }) {
  const rounds = Number(runs);
  const names = only?.split(',');
  const unknown = names?.find((name) => !workloads.some((workload) => workload.name === name));
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--runs takes a number of rounds, 1 or more');
  if (unknown !== undefined) throw new Error(`there is no workload ${unknown}`);
  return { ...values, runs: rounds, only: names };
}

/** Makes the sessions that workloads are about; returns the path of each long one, by workload. */
function prepare() {
  if (chosen.some(({ needsSessions }) => needsSessions)) {
    makeSessionHome(environment().BENCH_SESSIONS, { sessions: 5000, bytes: 100_000 });
  }
  const home = environment().HEDDLE_HOME;
  const long = chosen.filter(({ longSession }) => longSession);
  return Object.fromEntries(
    long.map(({ name, longSession }) => [name, makeLongSession({ home, cwd: work, ...longSession })]),
  );
}

/** Nothing is inherited but the path: a benchmark that depends on the developer's shell compares nothing. */
function environment() {
  const home = path.join(base, '.heddle');
  return {
    PATH: process.env.PATH,
    HOME: base,
    HEDDLE_HOME: home,
    CLAUDE_CONFIG_DIR: home,
    BENCH_SESSIONS: path.join(base, 'sessions'),
    LANG: 'C.UTF-8',
    ANTHROPIC_BASE_URL: `http://127.0.0.1:${model.port}`,
    ANTHROPIC_API_KEY: 'sk-bench',
  };
}

function joined(first, second) {
  const subjects = Object.entries(first).map(([subject, byWorkload]) => {
    const all = Object.entries(byWorkload).map(([name, rounds]) => [
      name,
      [...rounds, ...(second[subject]?.[name] ?? [])],
    ]);
    return [subject, Object.fromEntries(all)];
  });
  return Object.fromEntries(subjects);
}

function judged(samples) {
  const all = JSON.parse(fs.readFileSync(path.join(here, 'budgets.json'), 'utf8'));
  const figures = Object.fromEntries(Object.entries(samples).map(([subject, each]) => [subject, medians(each)]));
  return judge(flags.ratios ? ratiosOnly(all) : all, figures);
}

function isMissed({ verdict }) {
  return verdict === 'MISSED';
}

function report(rows) {
  if (flags.json) console.log(JSON.stringify({ node: process.version, runs: flags.runs, rows }, null, 2));
  else console.log(flags.markdown ? markdownTable(rows) : textTable(rows));
  if (flags.check && rows.some(isMissed)) process.exitCode = 1;
}
