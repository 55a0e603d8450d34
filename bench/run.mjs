#!/usr/bin/env node
// `npm run bench`: Heddle beside the floor, in one run, interleaved, against the budgets of budgets.json.
//
//   npm run bench -- --runs 7        medians of this many runs (default 7)
//   npm run bench -- --only hello    one workload, or several separated by commas
//   npm run bench -- --json          the figures as JSON
//   npm run bench -- --check         exit 1 when a budget is missed
//   npm run bench -- --cli "node other.js"   another command line in Heddle's place
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { makeLongSession } from './long-session.mjs';
import { measure } from './measure.mjs';
import { judge, medians, printTable } from './report.mjs';
import { makeSessionHome } from './session-home.mjs';
import { floorCommand, heddleCommand, LONG_SESSION, workloads } from './workloads.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const { values: flags } = parseArgs({
  options: {
    runs: { type: 'string', default: '7' },
    only: { type: 'string' },
    json: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
    cli: { type: 'string' },
  },
});
const runs = Number(flags.runs);
const subjects = { floor: floorCommand, heddle: flags.cli ? absolute(flags.cli.split(' ')) : heddleCommand };
const chosen = workloads.filter(({ name }) => !flags.only || flags.only.split(',').includes(name));

const base = fs.mkdtempSync(path.join(os.tmpdir(), 'heddle-bench-'));
const work = path.join(base, 'work');
fs.mkdirSync(work);
const sessionHome = path.join(base, 'sessions');
const longSessions = {};
const model = await startModel();
try {
  if (chosen.some(({ needsSessions }) => needsSessions))
    makeSessionHome(sessionHome, { sessions: 5000, bytes: 100_000 });
  for (const { name, longSession } of chosen) {
    if (!longSession) continue;
    longSessions[name] = makeLongSession({ home: environment().HEDDLE_HOME, cwd: work, ...longSession });
  }
  const figures = await runAll();
  const budgets = JSON.parse(fs.readFileSync(path.join(here, 'budgets.json'), 'utf8'));
  const rows = judge(budgets, figures);
  if (flags.json) console.log(JSON.stringify({ node: process.version, runs, rows }, null, 2));
  else printTable(rows);
  if (flags.check && rows.some((row) => row.verdict === 'MISSED')) process.exitCode = 1;
} finally {
  model.stop();
  fs.rmSync(base, { recursive: true, force: true, maxRetries: 3 });
}

/** Floor and Heddle take turns, and every round goes through all workloads: what disturbs one disturbs the other. */
async function runAll() {
  const samples = {};
  for (let round = 0; round < runs; round++) {
    for (const workload of chosen) {
      const order = round % 2 === 0 ? ['floor', 'heddle'] : ['heddle', 'floor'];
      for (const subject of order) {
        const command = commandOf(workload, subject);
        if (!command) continue;
        samples[subject] ??= {};
        samples[subject][workload.name] ??= [];
        samples[subject][workload.name].push(await runOnce(workload, subject, command));
      }
    }
    if (!flags.json) process.stderr.write(`round ${round + 1} of ${runs}\r`);
  }
  return { floor: medians(samples.floor ?? {}), heddle: medians(samples.heddle ?? {}) };
}

/** The command is not run from here: words that name a file are made absolute. */
function absolute(words) {
  return words.map((word) => (fs.existsSync(word) ? path.resolve(word) : word));
}

function commandOf({ name, args, ...own }, subject) {
  if (args) return [...subjects[subject], ...args];
  const command = own[subject]?.map((word) => (word === LONG_SESSION ? longSessions[name] : word));
  const isCli = command?.[1] === heddleCommand[1];
  return isCli ? [...subjects.heddle, ...command.slice(heddleCommand.length)] : command;
}

async function runOnce({ name, expect, requests = 0, tellsItself = false }, subject, command) {
  await model.reset();
  const outcome = await measure(command, { cwd: work, env: environment() });
  const stats = await model.stats();
  if (outcome.code !== 0 || !expect.every((pattern) => pattern.test(outcome.stdout.trim()))) {
    throw new Error(
      `${name}: ${subject} ended with ${outcome.code}\n${outcome.stdout.slice(-500)}\n${outcome.stderr.slice(-500)}`,
    );
  }
  const { wallMs, cpuMs, rssMiB } = outcome;
  const own = tellsItself ? JSON.parse(outcome.stdout) : {};
  return {
    ...own,
    wallMs,
    cpuMs,
    rssMiB,
    sideCalls: stats.requests - requests,
    firstRequestBytes: stats.firstRequestBytes,
  };
}

/** Nothing is inherited but the path: a benchmark that depends on the developer's shell compares nothing. */
function environment() {
  return {
    PATH: process.env.PATH,
    HOME: base,
    HEDDLE_HOME: path.join(base, '.heddle'),
    BENCH_SESSIONS: sessionHome,
    LANG: 'C.UTF-8',
    ANTHROPIC_BASE_URL: `http://127.0.0.1:${model.port}`,
    ANTHROPIC_API_KEY: 'sk-bench',
  };
}

/** The model is a process of its own, so that its work is nobody's CPU time. */
async function startModel() {
  const child = spawn(process.execPath, [path.join(here, 'model-server.mjs')], { stdio: ['pipe', 'pipe', 'inherit'] });
  const port = await new Promise((resolve, reject) => {
    child.stdout.once('data', (data) => resolve(Number(/listening (\d+)/.exec(String(data))[1])));
    child.once('exit', (code) => reject(new Error(`the model server ended with ${code}`)));
  });
  const url = `http://127.0.0.1:${port}`;
  return {
    port,
    reset: () => fetch(`${url}/reset`),
    stats: async () => (await fetch(`${url}/stats`)).json(),
    stop: () => child.stdin.end(),
  };
}
