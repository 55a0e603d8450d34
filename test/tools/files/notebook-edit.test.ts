import { readFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { notebookEditTool } from '../../../src/tools/files/notebook-edit.ts';
import { readTool } from '../../../src/tools/files/read.ts';
import { type Bench, createBench } from '../bench.ts';

let bench: Bench;

beforeEach(() => {
  bench = createBench();
});

afterEach(() => bench.dispose());

/** As Jupyter writes it, with numbers and letters that another writer would write otherwise. */
const NOTEBOOK = `{
 "cells": [
  {
   "cell_type": "markdown",
   "id": "intro",
   "metadata": {"x": 1.0, "escaped": "\\u00e9"},
   "source": [
    "# Title\\n",
    "a, {b} [c] \\"d\\""
   ]
  },
  {
   "cell_type": "code",
   "execution_count": 7,
   "id": "calc",
   "metadata": {"tags": ["keep"]},
   "outputs": [
    {
     "name": "stdout",
     "output_type": "stream",
     "text": ["1\\n"]
    }
   ],
   "source": [
    "print(1)"
   ]
  }
 ],
 "metadata": {
  "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
  "10": 1e3, "2": 10000000000000000000001
 },
 "nbformat": 4,
 "nbformat_minor": 5
}
`;

async function edit(input: object, text = NOTEBOOK) {
  const path = bench.file('n.ipynb', text);
  await bench.run(readTool, { file_path: path });
  const output = await bench.run(notebookEditTool, { notebook_path: path, new_source: '', ...input });
  return { ...output, text: readFileSync(path, 'utf8'), path };
}

const wrapped = (message: RegExp) => ({ name: 'ToolError', wrap: true, message: expect.stringMatching(message) });

/** Everything before and behind the cells. */
const AROUND = /^\{\n "cells": \[\n|\n \],\n "metadata": \{.*$/gs;

describe('replace', () => {
  test('[TOOL-04, B-223] gives the cell a new source and removes what it had left', async () => {
    const { text, content, data, path } = await edit({ cell_id: 'calc', new_source: 'a = 1\nprint(a)' });
    const [, , cell] = text.split(/^ {2}\{\n/m);
    expect(cell?.split('\n ],')[0]).toBe(
      `   "cell_type": "code",
   "execution_count": null,
   "id": "calc",
   "metadata": {
    "tags": [
     "keep"
    ]
   },
   "outputs": [],
   "source": [
    "a = 1\\n",
    "print(a)"
   ]
  }`,
    );
    expect(content).toBe(`Replaced cell calc of ${path}.`);
    expect(data).toEqual({
      new_source: 'a = 1\nprint(a)',
      cell_id: 'calc',
      cell_type: 'code',
      language: 'python',
      edit_mode: 'replace',
      error: '',
      notebook_path: path,
      original_file: NOTEBOOK,
      updated_file: text,
    });
  });

  test('leaves every other byte as it was', async () => {
    const { text } = await edit({ cell_id: 'calc', new_source: 'x' });
    const at = NOTEBOOK.indexOf('  {\n   "cell_type": "code"');
    expect(text.slice(0, at)).toBe(NOTEBOOK.slice(0, at));
    expect(text.match(AROUND)).toEqual(NOTEBOOK.match(AROUND));
  });

  test('by place, when the cell has no id or as well', async () => {
    const { text } = await edit({ cell_id: 'cell-0', new_source: '# New' });
    expect(JSON.parse(text).cells[0]).toMatchObject({ id: 'intro', source: ['# New'] });
  });

  test('an id of its own comes before a place', async () => {
    const { text } = await edit({ cell_id: 'cell-0', new_source: 'x' }, NOTEBOOK.replace('"calc"', '"cell-0"'));
    expect(JSON.parse(text).cells[1].source).toEqual(['x']);
  });

  test('can change the type, and what belongs to it', async () => {
    const toText = await edit({ cell_id: 'calc', cell_type: 'markdown', new_source: 'words' });
    expect(JSON.parse(toText.text).cells[1]).toEqual({
      cell_type: 'markdown',
      id: 'calc',
      metadata: { tags: ['keep'] },
      source: ['words'],
    });
    const toCode = await edit({ cell_id: 'intro', cell_type: 'code', new_source: '1' });
    expect(JSON.parse(toCode.text).cells[0]).toMatchObject({ cell_type: 'code', execution_count: null, outputs: [] });
  });

  test('may be repeated without reading again', async () => {
    await edit({ cell_id: 'calc', new_source: 'x' });
    const again = { notebook_path: 'n.ipynb', cell_id: 'calc', new_source: 'y' };
    await bench.run(notebookEditTool, again);
    expect(JSON.parse(readFileSync(bench.path('n.ipynb'), 'utf8')).cells[1].source).toEqual(['y']);
  });
});

describe('insert', () => {
  const ids = (text: string) => JSON.parse(text).cells.map((cell: { id: string }) => cell.id);

  test('[TOOL-04] adds a cell with an id behind another, or at the start', async () => {
    const runtime = { ...bench.context.runtime, ids: { uuid: () => 'new-id' } };
    const path = bench.file('n.ipynb', NOTEBOOK);
    await bench.run(readTool, { file_path: path });
    const insert = { notebook_path: path, new_source: 'x', cell_type: 'code', edit_mode: 'insert' };
    const { data } = await bench.run(notebookEditTool, { ...insert, cell_id: 'intro' }, { runtime });
    expect(data).toMatchObject({ cell_id: 'new-id', cell_type: 'code', edit_mode: 'insert' });
    const text = readFileSync(path, 'utf8');
    expect(ids(text)).toEqual(['intro', 'new-id', 'calc']);
    expect(text).toContain(
      `  },
  {
   "cell_type": "code",
   "execution_count": null,
   "id": "new-id",
   "metadata": {},
   "outputs": [],
   "source": [
    "x"
   ]
  },
  {
   "cell_type": "code",
   "execution_count": 7,`,
    );
    await bench.run(notebookEditTool, { ...insert, cell_type: 'markdown' }, { runtime });
    expect(JSON.parse(readFileSync(path, 'utf8')).cells[0]).toEqual({
      cell_type: 'markdown',
      id: 'new-id',
      metadata: {},
      source: ['x'],
    });
  });

  test('at the end', async () => {
    const { text } = await edit({ cell_id: 'calc', cell_type: 'markdown', edit_mode: 'insert', new_source: 'end' });
    expect(ids(text)).toHaveLength(3);
    expect(text.match(AROUND)).toEqual(NOTEBOOK.match(AROUND));
  });

  test('into a notebook without cells, in its style', async () => {
    const insert = { cell_type: 'markdown', edit_mode: 'insert', new_source: 'x' };
    const wide = await edit(insert, '{\r\n    "cells": [],\r\n    "nbformat": 4,\r\n    "nbformat_minor": 2\r\n}');
    expect(wide.text).toBe(
      '{\r\n    "cells": [\r\n        {\r\n            "cell_type": "markdown",\r\n            "metadata": {},\r\n            "source": [\r\n                "x"\r\n            ]\r\n        }\r\n    ],\r\n    "nbformat": 4,\r\n    "nbformat_minor": 2\r\n}',
    );
    expect(wide.data).toMatchObject({ cell_id: 'cell-0' });
    const narrow = await edit(insert, '{"nbformat":4,"nbformat_minor":2,"cells":[]}');
    expect(narrow.text).toBe(
      '{"nbformat":4,"nbformat_minor":2,"cells":[{"cell_type":"markdown","metadata":{},"source":["x"]}]}',
    );
  });

  test('a notebook that writes sources as strings gets one', async () => {
    const text = '{"cells":[{"cell_type":"markdown","metadata":{},"source":"a\\nb"}],"nbformat":4,"nbformat_minor":4}';
    const { text: after } = await edit(
      { cell_id: 'cell-0', cell_type: 'code', edit_mode: 'insert', new_source: 'c\nd' },
      text,
    );
    expect(JSON.parse(after).cells[1]).toMatchObject({ source: 'c\nd' });
    expect(after.startsWith(text.slice(0, text.indexOf('}]') + 1))).toBe(true);
  });
});

describe('delete', () => {
  test.each([
    ['the first', 'intro', ['calc']],
    ['the last', 'calc', ['intro']],
  ])('[TOOL-04] %s', async (_name, cell_id, left) => {
    const { text, data } = await edit({ cell_id, edit_mode: 'delete' });
    expect(JSON.parse(text).cells.map((cell: { id: string }) => cell.id)).toEqual(left);
    expect(text.match(AROUND)).toEqual(NOTEBOOK.match(AROUND));
    expect(data).toMatchObject({ cell_id, edit_mode: 'delete' });
  });

  test('the only one', async () => {
    const { text } = await edit({ cell_id: 'cell-0', edit_mode: 'delete' }, '{"cells": [ {"source": "]"} ], "x": 1.0}');
    expect(text).toBe('{"cells": [], "x": 1.0}');
  });
});

describe('refuses', () => {
  test('a notebook that was not read, or has changed since', async () => {
    const path = bench.file('n.ipynb', NOTEBOOK);
    const input = { notebook_path: path, cell_id: 'calc', new_source: 'x' };
    await expect(bench.run(notebookEditTool, input)).rejects.toMatchObject(wrapped(/has not been read/));
    await bench.run(readTool, { file_path: path });
    writeFileSync(path, NOTEBOOK.replace('print(1)', 'print(2)'));
    await expect(bench.run(notebookEditTool, input)).rejects.toMatchObject(wrapped(/has changed since/));
  });

  test('a cell that is not there, or none', async () => {
    await expect(edit({ cell_id: 'nope' })).rejects.toMatchObject(wrapped(/no cell "nope".*intro, calc/));
    await expect(edit({ cell_id: 'cell-2' })).rejects.toMatchObject(wrapped(/no cell/));
    await expect(edit({})).rejects.toMatchObject(wrapped(/cell_id is required/));
    await expect(edit({ edit_mode: 'insert' })).rejects.toMatchObject(wrapped(/cell_type is required/));
    expect(readFileSync(bench.path('n.ipynb'), 'utf8')).toBe(NOTEBOOK);
  });

  test('other files, and what is not there', async () => {
    const input = { notebook_path: 'none.ipynb', new_source: '' };
    await expect(bench.run(notebookEditTool, input)).rejects.toMatchObject(wrapped(/does not exist/));
    await expect(bench.run(notebookEditTool, { ...input, notebook_path: 'a.py' })).rejects.toMatchObject(
      wrapped(/Use Edit/),
    );
  });
});

test('[K34] bounds what the result carries', async () => {
  const { data } = await edit({ cell_id: 'calc', new_source: `"${'x\n'.repeat(300_000)}"` });
  expect(JSON.stringify(data).length).toBeLessThan(650_000);
});

test('is an edit and runs alone', () => {
  const input = { notebook_path: 'n.ipynb', new_source: '', edit_mode: 'replace' as const };
  expect(notebookEditTool.access(input, bench.context.workspace)).toEqual({
    kind: 'edit',
    paths: [bench.path('n.ipynb')],
  });
  expect(notebookEditTool.isConcurrencySafe(input)).toBe(false);
  expect(notebookEditTool.description.length).toBeLessThanOrEqual(600);
});
