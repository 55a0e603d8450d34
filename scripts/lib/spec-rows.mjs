// The rows of the documents in spec/: every table row whose first cell is an id, such as `| LOOP-03 | …` or `| **S-1** | …`.
import fs from 'node:fs';
import path from 'node:path';
import { root } from './tree.mjs';

const TABLES = [
  { file: 'features.md', name: 'features A (seeds)', ids: /^(?!B-)[A-Z][A-Z0-9]*-\d+[a-z]?$/ },
  { file: 'features.md', name: 'features B (beyond)', ids: /^B-\d+$/ },
  { file: 'trust.md', name: 'trust invariants', ids: /^[A-Z]-\d+$/ },
  { file: 'rulings.md', name: 'rulings', ids: /^[A-Z]\d+$/ },
];

/** All rows in the order of the documents: `{ id, prefix, table }`. */
export function readRows() {
  return TABLES.flatMap(({ file, name, ids }) =>
    firstCells(file)
      .filter((id) => ids.test(id))
      .map((id) => ({ id, prefix: id.replace(/-?\d+[a-z]?$/, ''), table: name })),
  );
}

/** The ids that spec/gaps.md names in its tables: rows that are known to have no test. */
export function readGaps() {
  return new Set(firstCells('gaps.md').filter((cell) => /^[A-Z][A-Z0-9]*-?\d+[a-z]?$/.test(cell)));
}

function firstCells(file) {
  const text = fs.readFileSync(path.join(root, 'spec', file), 'utf8');
  return [...text.matchAll(/^\| *\**([\w-]+)\** *\|/gm)].map(([, cell]) => cell);
}
