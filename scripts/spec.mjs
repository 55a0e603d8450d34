#!/usr/bin/env node
// `npm run spec`: which rows of spec/ have a test that names them in its title, and which have not.
import { parseArgs } from 'node:util';
import { readRows } from './lib/spec-rows.mjs';
import { readTestTitles } from './lib/test-titles.mjs';

const HELP = `Usage: npm run spec -- [--json]

Which rows of the specification have a test that names them in its title, and which have not: counts by prefix, and the
missing ids. A title names rows in brackets: '[LOOP-03] stops after …' or '[S-9, S-10] …'. Tests that are skipped do not
count.

  --json   { groups: [...], unknown: [...], crowded: [...] }
  --help   this text
`;

const flags = readFlags();
const rows = readRows();
const { named, titles } = readTestTitles();
const known = new Set(rows.map((row) => row.id));
const groups = groupRows(rows);
/** Ids in titles that no row has, and titles with more ids than a single test can honestly hold. */
const unknown = titles.flatMap(({ file, title, ids }) =>
  ids.filter((id) => !known.has(id)).map((id) => ({ id, file, title })),
);
const crowded = titles.filter(({ ids }) => ids.length > 3).map(({ file, title }) => ({ file, title }));

if (flags.json) console.log(JSON.stringify({ groups, unknown, crowded }, null, 2));
else print();

/** Ends the script for `--help`, and for what is no option. */
function readFlags() {
  const options = { json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } };
  try {
    const { values } = parseArgs({ options });
    if (!values.help) return values;
    process.stdout.write(HELP);
    process.exit(0);
  } catch (error) {
    process.stderr.write(`spec: ${error.message}\n\n${HELP}`);
    process.exit(2);
  }
}

function groupRows(all) {
  const groups = new Map();
  for (const { id, prefix, table } of all) {
    const key = `${table} ${prefix}`;
    const group = groups.get(key) ?? { table, prefix, covered: [], missing: [] };
    (named.has(id) ? group.covered : group.missing).push(id);
    groups.set(key, group);
  }
  return [...groups.values()];
}

function print() {
  for (const table of new Set(groups.map((group) => group.table))) {
    const own = groups.filter((group) => group.table === table);
    console.log(`\n${table}: ${tally(own)}`);
    for (const group of own) {
      console.log(`  ${group.prefix.padEnd(5)} ${tally([group]).padEnd(10)} ${abbreviate(group)}`.trimEnd());
    }
  }
  for (const { id, file, title } of unknown) console.log(`\nunknown id ${id} in ${file}: ${title}`);
  console.log(`\nall: ${tally(groups)}`);
}

function tally(list) {
  const covered = list.reduce((sum, group) => sum + group.covered.length, 0);
  const missing = list.reduce((sum, group) => sum + group.missing.length, 0);
  return `${covered} of ${covered + missing}`;
}

/** `missing: 01 04 07`, without repeating the prefix. */
function abbreviate({ prefix, missing }) {
  if (missing.length === 0) return '';
  return `missing: ${missing.map((id) => id.slice(prefix.length).replace(/^-/, '')).join(' ')}`;
}
