import { appendFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { editTool } from '../../../src/tools/files/edit.ts';
import { readTool } from '../../../src/tools/files/read.ts';
import { type LineRange, readLines } from '../../../src/tools/files/read-lines.ts';
import { type Bench, createBench } from '../bench.ts';

const { signal } = new AbortController();
const MB = 1024 * 1024;

async function* pieces(...parts: (string | Uint8Array)[]) {
  for (const part of parts) yield typeof part === 'string' ? Buffer.from(part) : part;
}

function lines(chunks: AsyncIterable<Uint8Array>, range: Partial<LineRange> = {}) {
  return readLines(chunks, { startLine: 1, limit: 100, encoding: 'utf-8', signal, ...range });
}

test('lines and characters may be split between pieces', async () => {
  const [first, second] = [Buffer.from('ü').subarray(0, 1), Buffer.from('ü').subarray(1)];
  const { lines: found, totalLines } = await lines(pieces('on', 'e\ntw', first, second, '\n', '\nlast'));
  expect(found).toEqual([{ text: 'one' }, { text: 'twü' }, { text: '' }, { text: 'last' }]);
  expect(totalLines).toBe(4);
});

test('UTF-16 may be split anywhere, and only a real line feed ends a line', async () => {
  const text = '\uFEFFone\nĊtwo\u0A00\nlast'; // U+010A and U+0A00 have the byte of a line feed in them
  for (const encoding of ['utf-16le', 'utf-16be'] as const) {
    const bytes = Buffer.from(text, 'utf16le');
    if (encoding === 'utf-16be') bytes.swap16();
    for (let at = 0; at < bytes.length; at++) {
      const found = await lines(pieces(bytes.subarray(0, at), bytes.subarray(at)), { encoding });
      expect(found.lines).toEqual([{ text: 'one' }, { text: 'Ċtwo\u0A00' }, { text: 'last' }]);
    }
  }
});

test('the range is kept and the rest counted', async () => {
  const text = Array.from({ length: 1000 }, (_, index) => `line ${index + 1}\n`).join('');
  const found = await lines(pieces(text), { startLine: 500, limit: 2 });
  expect(found).toMatchObject({ lines: [{ text: 'line 500' }, { text: 'line 501' }], totalLines: 1001 });
  expect(await lines(pieces(text), { startLine: 2000 })).toMatchObject({ lines: [], totalLines: 1001 });
});

test('of a line without end only the start is kept', async () => {
  async function* endless() {
    for (;;) yield Buffer.alloc(8 * MB, 'x');
  }
  const { lines: found, isTotalKnown } = await lines(endless(), { limit: 1 });
  expect(found).toHaveLength(1);
  expect(found[0]?.text).toHaveLength(50_000);
  expect(isTotalKnown).toBe(false);
});

test('lines without end are too much, also empty ones', async () => {
  async function* endless() {
    for (;;) yield Buffer.alloc(MB, '\n');
  }
  expect(await lines(endless(), { limit: 1e9 })).toMatchObject({ overflow: true });
});

test('after 256 MB lines are not counted any more, and the total is said to be a lower bound', async () => {
  const piece = Buffer.from('some words in a line\n'.repeat(400_000));
  async function* endless() {
    for (;;) yield piece;
  }
  const found = await lines(endless(), { startLine: 3, limit: 2 });
  expect(found).toMatchObject({ isTotalKnown: false, digest: null });
  expect(found.lines).toHaveLength(2);
  expect(found.totalLines).toBeGreaterThan(12_000_000);
});

test('[LOOP-10] an interrupt ends the reading', async () => {
  const stop = new AbortController();
  async function* endless() {
    for (let n = 0; ; n++) {
      if (n === 3) stop.abort(new Error('enough'));
      yield Buffer.from('text');
    }
  }
  await expect(lines(endless(), { signal: stop.signal })).rejects.toThrow('enough');
});

describe('a file of over 64 MB', () => {
  let bench: Bench;
  let path: string;

  beforeAll(() => {
    bench = createBench();
    path = bench.file('big.log', '');
    const block = 'an entry of a log that has grown\n'.repeat(32_000); // a little more than 1 MB
    for (let n = 0; n < 66; n++) appendFileSync(path, block);
    appendFileSync(path, 'the last line');
  });

  afterAll(() => bench.dispose());

  test('[TOOL-03] is read in parts, with the true number of lines', async () => {
    const { content, data } = await bench.run(readTool, { file_path: path, offset: 66 * 32_000, limit: 5 });
    expect(content).toMatch(/^2112000→an entry.*\n2112001→the last line\n/);
    expect(data).toMatchObject({ file: { numLines: 2, startLine: 2_112_000, totalLines: 2_112_001 } });
    await expect(bench.run(readTool, { file_path: path })).rejects.toThrow(/too large.*offset and limit/);
  });

  test('is not edited', async () => {
    await bench.run(readTool, { file_path: path, limit: 1 });
    const edit = bench.run(editTool, { file_path: path, old_string: 'the last', new_string: 'x' });
    await expect(edit).rejects.toMatchObject({ wrap: true, message: expect.stringMatching(/too large.*sed/) });
  });
});
