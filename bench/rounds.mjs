// The rounds of a benchmark: who runs what, and what it cost.
import fs from 'node:fs';
import path from 'node:path';
import { measure } from './measure.mjs';
import { COLD_COPY, floorCommand, heddleCommand, LONG_SESSION } from './workloads.mjs';

/**
 * The subjects take turns, and every round goes through all workloads: what disturbs one disturbs the others. Resolves
 * with `{ subject: { workload: [figures of a round, …] } }`. A subject that fails ends the benchmark, unless it is the
 * other command line: then it has no figure there.
 */
export async function runRounds({ chosen, runs, given, longSessions, coldCopy, place, model, tell }) {
  const commands = {
    floor: floorCommand,
    heddle: given.heddle ? words(given.heddle) : heddleCommand,
    ...(given.other && { other: words(given.other) }),
  };
  const samples = Object.fromEntries(Object.keys(commands).map((subject) => [subject, {}]));
  const failed = new Set();
  for (let round = 0; round < runs; round++) {
    const order = round % 2 === 0 ? Object.keys(commands) : Object.keys(commands).reverse();
    for (const workload of chosen.filter(({ once }) => !once || round === 0)) {
      for (const subject of order) {
        const key = `${subject} ${workload.name}`;
        const made = { [LONG_SESSION]: longSessions[workload.name], [COLD_COPY]: coldCopy };
        const command = commandOf(workload, { subject, commands, made });
        if (!command || failed.has(key)) continue;
        try {
          const figures = await runOnce(workload, { subject, command, place, model });
          samples[subject][workload.name] = [...(samples[subject][workload.name] ?? []), figures];
        } catch (error) {
          if (subject !== 'other') throw error;
          failed.add(key);
          delete samples.other[workload.name];
          tell(`no figure: ${error.message.split('\n')[0]}\n`);
        }
      }
    }
    tell(`round ${round + 1} of ${runs}${round + 1 === runs ? '\n' : '\r'}`);
  }
  return samples;
}

/** The command is not run from here: words that name a file are made absolute. */
function words(command) {
  return command.split(' ').map((word) => (fs.existsSync(word) ? path.resolve(word) : word));
}

/** Where the work is a command line's, the other one and another build can do it as well. `made`: files by placeholder. */
function commandOf({ args, ...own }, { subject, commands, made }) {
  if (args) return [...commands[subject], ...args];
  const command = (own[subject] ?? (subject === 'other' ? own.heddle : undefined))?.map((word) => made[word] ?? word);
  if (command?.[1] === heddleCommand[1]) return [...commands[subject], ...command.slice(heddleCommand.length)];
  return subject === 'other' ? undefined : command;
}

async function runOnce(workload, { subject, command, place, model }) {
  const { name, expect, requests = 0, tellsItself = false } = workload;
  await model.reset();
  const outcome = await measure(command, place);
  const stats = await model.stats();
  if (outcome.code !== 0 || !expect.every((pattern) => pattern.test(outcome.stdout.trim()))) {
    const told = `${outcome.stdout.slice(-500)}\n${outcome.stderr.slice(-500)}`;
    throw new Error(`${name}: ${subject} ended with ${outcome.code}\n${told}`);
  }
  const { wallMs, cpuMs, rssMiB } = outcome;
  const own = tellsItself ? JSON.parse(outcome.stdout) : {};
  const sideCalls = requests === null ? 0 : stats.requests - requests;
  return { ...own, wallMs, cpuMs, rssMiB, sideCalls, firstRequestBytes: stats.firstRequestBytes };
}
