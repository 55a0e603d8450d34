#!/usr/bin/env node
// `npm run mutate`: breaks a promise of the specification in a copy of the repository, and sees whether a test that names
// the row fails; for some rows of the table in test/mutations. Exit code 1 when a mutation survives or cannot be judged.
import { openLab } from './lib/mutation-lab.mjs';
import { chooseMutations, problemOf, readMutations } from './lib/mutations.mjs';
import { scriptFlags } from './lib/script-flags.mjs';

const HELP = `Usage: npm run mutate -- [--seed N] [--rows N] [--only ROW]... [--all]

Tries mutations of the table in test/mutations: each changes one text of a source file so that the promise of a row of
the specification is broken, and the tests that name the row must fail.

  --seed N     which rows are chosen; default 1
  --rows N     how many; default 20
  --only ROW   this row, whatever the seed says; repeatable
  --all        the whole table
  --help       this text
`;

const table = await readMutations();
const flags = scriptFlags({
  name: 'mutate',
  help: HELP,
  options: {
    seed: { type: 'string', default: '1' },
    rows: { type: 'string', default: '20' },
    only: { type: 'string', multiple: true },
    all: { type: 'boolean' },
  },
  check: checked,
});
const broken = table.flatMap((mutation) => describe(mutation, problemOf(mutation)));
if (broken.length > 0) {
  console.error(`The table does not fit the sources any more:\n${broken.join('\n')}`);
  process.exit(1);
}
const chosen = choose();
const lab = openLab();
process.on('exit', () => lab.remove());
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));

const before = await lab.baseline(chosen);
if (before.problem !== null) {
  console.error(`The tests of the chosen rows cannot be run: ${before.problem}`);
  process.exit(1);
}
for (const { title, message } of before.failed) {
  console.log(
    `FAILS without any mutation: ${title}\n${message.split('\n', 2).join('\n').replace(/^/gm, '          ')}`,
  );
}
const ignored = new Set(before.failed.map(({ title }) => title));
const tally = { killed: 0, survived: 0, broken: 0 };
for (const mutation of chosen) {
  const outcome = await lab.tryOut(mutation, ignored);
  tally[outcome.verdict]++;
  report(mutation, outcome);
}
console.log(`${tally.killed} killed, ${tally.survived} survived, ${tally.broken} could not be judged`);
process.exitCode = tally.survived + tally.broken + ignored.size === 0 ? 0 : 1;

function report({ row, file, why }, { verdict, by = [], problem }) {
  const word = verdict === 'killed' ? 'killed  ' : verdict.toUpperCase();
  console.log(`${word}  ${row.padEnd(8)} ${file}: ${why}`);
  if (problem) console.log(problem.replace(/^/gm, '          '));
  const more = by.length > 1 ? ` (and ${by.length - 1} more)` : '';
  if (by[0]) console.log(`          ${verdict === 'killed' ? 'by' : 'passed:'} ${by[0]}${more}`);
}

function describe({ row }, problem) {
  return problem === null ? [] : [`  ${row}: ${problem}`];
}

function checked({ seed, rows, only, all }) {
  const unknown = (only ?? []).filter((row) => !table.some((mutation) => mutation.row === row));
  if (unknown.length > 0) throw new Error(`no mutation of ${unknown.join(', ')} is in the table`);
  return { seed: wholeNumber('seed', seed), rows: wholeNumber('rows', rows), only, all };
}

function wholeNumber(name, text) {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new Error(`--${name} must be a whole number above 0`);
  return value;
}

function choose() {
  if (flags.all) return table;
  if (!flags.only) return chooseMutations(table, flags);
  return table.filter(({ row }) => flags.only.includes(row));
}
