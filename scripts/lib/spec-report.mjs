// What tests say of the rows of spec/, held against spec/gaps.md.
import { readGaps, readRows } from './spec-rows.mjs';
import { readTestTitles } from './test-titles.mjs';

/** As many ids as a single test can honestly hold. */
const MOST_IDS = 3;

/**
 * `groups`: the rows by table and prefix, `{ table, prefix, covered, gaps, missing }`, as ids.
 * `problems`: what keeps the tests, the rows and the gaps from telling one story, a line each.
 * `unknown`, `crowded`: titles with ids that no row has, and with too many.
 */
export function specReport() {
  return compareSpec({ rows: readRows(), gaps: readGaps(), ...readTestTitles() });
}

/** The same of what was read: rows, the ids of gaps, and what titles name. */
export function compareSpec({ rows, gaps, named, titles }) {
  const known = new Set(rows.map(({ id }) => id));
  const unknown = titles.flatMap(({ file, title, ids }) =>
    ids.filter((id) => !known.has(id)).map((id) => ({ id, file, title })),
  );
  const crowded = titles.filter(({ ids }) => ids.length > MOST_IDS).map(({ file, title }) => ({ file, title }));
  const groups = groupRows(rows, { named, gaps });
  const problems = [
    ...groups.flatMap(({ missing }) => missing.map((id) => `missing: ${id} has no test and is not in spec/gaps.md`)),
    ...[...gaps].filter((id) => !known.has(id)).map((id) => `spec/gaps.md: ${id} is no row of spec/`),
    ...[...gaps].filter((id) => named.has(id)).map((id) => `spec/gaps.md: ${id} has a test, so it is no gap`),
    ...unknown.map(({ id, file, title }) => `${file}: ${id} is no row of spec/: ${title}`),
    ...crowded.map(({ file, title }) => `${file}: more than ${MOST_IDS} ids: ${title}`),
  ];
  return { groups, problems, unknown, crowded };
}

/** A row that has a test is covered, whatever spec/gaps.md says. */
function groupRows(rows, { named, gaps }) {
  const groups = new Map();
  for (const { id, prefix, table } of rows) {
    const key = `${table} ${prefix}`;
    const group = groups.get(key) ?? { table, prefix, covered: [], gaps: [], missing: [] };
    const kind = named.has(id) ? 'covered' : gaps.has(id) ? 'gaps' : 'missing';
    group[kind].push(id);
    groups.set(key, group);
  }
  return [...groups.values()];
}
