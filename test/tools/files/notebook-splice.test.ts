import { describe, expect, test } from 'vitest';
import { spliceCells } from '../../../src/tools/files/notebook-splice.ts';

const NEW = { cell_type: 'raw', source: ['n'] };
const cellsOf = (text: string) => (JSON.parse(text) as { cells: { id?: string }[] }).cells;
const idsOf = (text: string) => cellsOf(text).map(({ id }) => id ?? 'new');

/** What can be done to a notebook with the cells a, b and c. */
const CHANGES = [
  { what: 'insert first', splice: { index: 0, remove: 0, cell: NEW }, ids: ['new', 'a', 'b', 'c'] },
  { what: 'insert between', splice: { index: 1, remove: 0, cell: NEW }, ids: ['a', 'new', 'b', 'c'] },
  { what: 'insert last', splice: { index: 3, remove: 0, cell: NEW }, ids: ['a', 'b', 'c', 'new'] },
  { what: 'replace first', splice: { index: 0, remove: 1, cell: NEW }, ids: ['new', 'b', 'c'] },
  { what: 'replace last', splice: { index: 2, remove: 1, cell: NEW }, ids: ['a', 'b', 'new'] },
  { what: 'delete first', splice: { index: 0, remove: 1 }, ids: ['b', 'c'] },
  { what: 'delete between', splice: { index: 1, remove: 1 }, ids: ['a', 'c'] },
  { what: 'delete last', splice: { index: 2, remove: 1 }, ids: ['a', 'b'] },
] as const;

describe('with line breaks of Windows', async () => {
  const cell = (id: string) => `  {\r\n   "id": "${id}",\r\n   "n": 1.0\r\n  }`;
  const notebook = `{\r\n "cells": [\r\n${['a', 'b', 'c'].map(cell).join(',\r\n')}\r\n ],\r\n "nbformat": 4\r\n}\r\n`;
  const added = '  {\r\n   "cell_type": "raw",\r\n   "source": [\r\n    "n"\r\n   ]\r\n  }';

  test.each(CHANGES)('$what: every byte is as an editor on Windows would leave it', async ({ splice, ids }) => {
    const parts = ids.map((id) => (id === 'new' ? added : cell(id)));
    expect(await spliceCells(notebook, splice)).toBe(
      `{\r\n "cells": [\r\n${parts.join(',\r\n')}\r\n ],\r\n "nbformat": 4\r\n}\r\n`,
    );
  });

  test('the first cell of an empty notebook', async () => {
    const empty = '{\r\n "cells": [],\r\n "nbformat": 4\r\n}';
    const filled = await spliceCells(empty, { index: 0, remove: 0, cell: NEW });
    expect(filled).toBe(`{\r\n "cells": [\r\n${added}\r\n ],\r\n "nbformat": 4\r\n}`);
    expect(await spliceCells(filled, { index: 0, remove: 1 })).toBe(empty);
  });
});

describe.each([
  ['without spaces', ',', ':'],
  ['with spaces', ', ', ': '],
])('on one line, %s', (_, comma, colon) => {
  const cell = (id: string) => `{"id"${colon}"${id}"${comma}"n"${colon}1e0}`;
  const around = (cells: string) => `{"metadata"${colon}{"cells"${colon}[1]}${comma}"cells"${colon}[${cells}]}`;
  const notebook = around(['a', 'b', 'c'].map(cell).join(comma));

  test.each(CHANGES)('$what: it stays on one line, and what is not meant stays as it is', async ({ splice, ids }) => {
    const text = await spliceCells(notebook, splice);
    expect(text).not.toContain('\n');
    expect(idsOf(text)).toEqual(ids);
    expect(text.startsWith(around('').slice(0, -2))).toBe(true);
    for (const id of ids) if (id !== 'new') expect(text).toContain(cell(id));
  });

  test('the first cell, and the last one to go', async () => {
    const filled = await spliceCells(around(''), { index: 0, remove: 0, cell: NEW });
    expect(filled).toBe(around(JSON.stringify(NEW)));
    expect(await spliceCells(filled, { index: 0, remove: 1 })).toBe(around(''));
  });
});

test('of several lists of cells the last one is meant, as JSON has it', async () => {
  const notebook = '{"cells":[{"id":"x"}],"cells":[{"id":"a"},{"id":"b"}],"other":{"cells":[{"id":"y"}]}}';
  expect(await spliceCells(notebook, { index: 1, remove: 1, cell: NEW })).toBe(
    `{"cells":[{"id":"x"}],"cells":[{"id":"a"},${JSON.stringify(NEW)}],"other":{"cells":[{"id":"y"}]}}`,
  );
  expect(idsOf(await spliceCells(notebook, { index: 0, remove: 1 }))).toEqual(['b']);
});

test('brackets, commas and quotes in texts are no structure', async () => {
  const notebook = '{"title":"\\"cells\\": [","cells":[{"id":"a","source":["}],\\"\\\\"]},{"id":"b"}]}';
  expect(idsOf(await spliceCells(notebook, { index: 1, remove: 1 }))).toEqual(['a']);
});
