#!/usr/bin/env node
// `npm run spec`: which rows of spec/ have a test that names them in its title, which are known gaps, and which are
// neither.
import { scriptFlags } from './lib/script-flags.mjs';
import { specReport } from './lib/spec-report.mjs';

const HELP = `Usage: npm run spec -- [--check] [--json]

Which rows of the specification have a test that names them in its title, which stand in spec/gaps.md with the reason
why there is none, and which are missing: counts by prefix, and the missing ids. A title names rows in brackets:
'[LOOP-03] stops after …' or '[S-9, S-10] …'. Tests that are skipped do not count.

  --check  only what is wrong: rows that are missing, gaps that have a test, and ids that no row has; exit 1 if any
  --json   { groups: [...], problems: [...], unknown: [...], crowded: [...] }
  --help   this text
`;

const flags = scriptFlags({
  name: 'spec',
  help: HELP,
  options: { check: { type: 'boolean' }, json: { type: 'boolean' } },
});
const report = specReport();

if (flags.json) console.log(JSON.stringify(report, null, 2));
else if (flags.check) check();
else print();

function check() {
  for (const problem of report.problems) console.log(problem);
  console.log(tally(report.groups));
  if (report.problems.length > 0) process.exitCode = 1;
}

function print() {
  for (const table of new Set(report.groups.map((group) => group.table))) {
    const own = report.groups.filter((group) => group.table === table);
    console.log(`\n${table}: ${tally(own)}`);
    for (const group of own) {
      const { prefix, covered, gaps, missing } = group;
      const share = `${covered.length} of ${covered.length + gaps.length + missing.length}`;
      console.log(
        `  ${prefix.padEnd(5)} ${share.padEnd(11)} ${listed('gaps', gaps)}${listed('missing', missing)}`.trimEnd(),
      );
    }
  }
  const told = report.problems.filter((problem) => !problem.startsWith('missing'));
  if (told.length > 0) console.log(`\n${told.join('\n')}`);
  console.log(`\n${tally(report.groups)}`);
}

function tally(groups) {
  const count = (kind) => groups.reduce((sum, group) => sum + group[kind].length, 0);
  return `covered ${count('covered')}, gaps ${count('gaps')}, missing ${count('missing')}`;
}

/** `missing: 01 04 07`, without repeating the prefix. */
function listed(word, ids) {
  if (ids.length === 0) return '';
  return `${word}: ${ids.map((id) => id.replace(/^[A-Z][A-Z0-9]*?-?(?=\d+[a-z]?$)/, '')).join(' ')} `;
}
