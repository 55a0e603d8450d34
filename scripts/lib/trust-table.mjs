// The table at the end of `npm run trust`: what was checked of each invariant of spec/trust.md, and what was counted.
import { idsIn } from './test-titles.mjs';

/** The groups of invariants that the suite is about; those of a server have no row here while there is none. */
const IDS = /^[SPHMRKCL]-\d+$/;

/**
 * One row for each invariant, in the order of the document. `tests` are `{ title, status }` of vitest's report, `figures`
 * are `{ id, seen }` as test/trust/figures.ts writes them, `gaps` are the ids that are known not to be checked.
 */
export function trustRows({ ids, tests, figures, gaps }) {
  const wanted = ids.filter((id) => IDS.test(id));
  const rows = new Map(
    wanted.map((id) => [id, { id, passed: 0, failed: 0, skipped: 0, seen: [], isGap: gaps.has(id) }]),
  );
  for (const { title, status } of tests) {
    for (const id of new Set(idsIn(title))) {
      const row = rows.get(id);
      if (row) row[countOf(status)]++;
    }
  }
  for (const { id, seen } of figures) {
    const row = rows.get(id);
    if (row && !row.seen.includes(seen)) row.seen.push(seen);
  }
  return [...rows.values()];
}

function countOf(status) {
  return status === 'passed' || status === 'failed' ? status : 'skipped';
}

/** Invariants that no test has looked at, although nothing says that this is so. */
export function uncheckedIn(rows) {
  return rows.filter((row) => stateOf(row) === 'not checked').map(({ id }) => id);
}

/** A run of some files only shows what it is about. */
export function trustLines(rows, { isWhole }) {
  const shown = isWhole ? rows : rows.filter(({ passed, failed, skipped }) => passed + failed + skipped > 0);
  const cells = shown.map((row) => [row.id, stateOf(row), countsOf(row), row.seen.join('; ')]);
  const widths = [0, 1, 2].map((column) => Math.max(0, ...cells.map((each) => each[column].length)));
  return cells.map((each) =>
    each
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

function stateOf({ passed, failed, isGap }) {
  if (failed > 0) return 'FAILED';
  if (passed > 0) return 'holds';
  return isGap ? 'gap' : 'not checked';
}

function countsOf({ passed, failed, skipped }) {
  const counts = [
    [passed, 'passed'],
    [failed, 'failed'],
    [skipped, 'skipped'],
  ];
  return counts.flatMap(([count, name]) => (count > 0 ? [`${count} ${name}`] : [])).join(', ');
}
