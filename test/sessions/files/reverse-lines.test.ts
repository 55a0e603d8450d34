import { closeSync, ftruncateSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ByteLines } from '../../../src/sessions/files/byte-lines.ts';
import { type BackwardOptions, linesBackwards } from '../../../src/sessions/files/reverse-lines.ts';
import { tempDir } from '../support.ts';

const TEXTS = ['a', '', '漢字', '😀😀', '{"text":"naïve — 日本語 🧵"}', 'x'.repeat(40)];

test('[SES-23] lines come in the reverse order of a forward read, with blocks of 4096 bytes and of 1', () => {
  const lines = Array.from({ length: 600 }, (_, i) => `${i} ${TEXTS[i % TEXTS.length]}`);
  const file = written(`${lines.join('\n')}\n`);
  for (const blockSize of [1, 7, 4096, undefined]) {
    expect(backwards(file, blockSize)).toEqual([...lines].reverse());
  }
});

test('[SES-24] characters of several bytes survive at every offset of a block', () => {
  for (let shift = 0; shift < 8; shift++) {
    const text = `${'-'.repeat(shift)}漢😀字\n😀\n漢\n`.repeat(3);
    const file = written(text);
    for (const blockSize of [1, 2, 3, 4, 5, 8, 16]) {
      expect(backwards(file, blockSize)).toEqual(forwards(text).reverse());
    }
  }
});

test.each([
  ['an empty file', ''],
  ['a newline alone', '\n'],
  ['empty lines', '\n\na\n\n\nb\n\n'],
  ['no newline at the end', 'a\nb'],
  ['one line without a newline', 'abc'],
  ['CRLF', 'a\r\nb\r\n'],
])('[SES-23] %s', (_name, text) => {
  const file = written(text);
  for (const blockSize of [1, 2, 64]) expect(backwards(file, blockSize)).toEqual(forwards(text).reverse());
});

test('a line says where it begins, and whether it has an end', () => {
  const file = written('one\n漢\nthree');
  const found = inFile(file, { blockSize: 4 }, (line) => ({ offset: line.offset, ended: line.ended }));
  expect(found).toEqual([
    { offset: 8, ended: false },
    { offset: 4, ended: true },
    { offset: 0, ended: true },
  ]);
});

test('reading may begin at the offset of a line that was found before', () => {
  const file = written('one\ntwo\nthree\n');
  expect(backwards(file, 4, 8)).toEqual(['two', 'one']);
});

test('a line that is too long is passed over and the rest is read', () => {
  const file = written(`first\n${'x'.repeat(500)}\nlast\n`);
  const found = inFile(file, { blockSize: 64, maxBytes: 100 }, ({ bytes, length }) => bytes?.toString() ?? length);
  expect(found).toEqual(['last', 500, 'first']);
});

test('[SES-25] a file of 1 GB with a hole is read in constant memory', () => {
  const path = join(tempDir(), 'sparse.jsonl');
  const size = 1024 ** 3;
  const fd = openSync(path, 'w+');
  ftruncateSync(fd, size);
  writeSync(fd, 'first\n', 0);
  writeSync(fd, '\nmiddle\n', size / 2);
  writeSync(fd, '\nlast\n', size - 6);
  const before = process.memoryUsage().rss;
  let most = before;
  const found: string[] = [];
  for (const { bytes } of linesBackwards(fd, { end: size })) {
    found.push((bytes?.toString() ?? '').replaceAll('\0', ''));
    most = Math.max(most, process.memoryUsage().rss);
  }
  closeSync(fd);
  expect(found.filter((line) => line !== '')).toEqual(['last', 'middle', 'first']);
  expect(Math.max(most, process.memoryUsage().rss) - before).toBeLessThan(50 * 1024 ** 2);
});

function written(text: string): { path: string; size: number } {
  const path = join(tempDir(), 'lines.txt');
  writeFileSync(path, text);
  return { path, size: Buffer.byteLength(text) };
}

function backwards(file: { path: string; size: number }, blockSize?: number, end = file.size): string[] {
  const options = { end, ...(blockSize !== undefined && { blockSize }) };
  return inFile(file, options, ({ bytes }) => bytes?.toString() ?? '');
}

function inFile<T>(
  file: { path: string; size: number },
  options: Partial<BackwardOptions>,
  read: (line: ReturnType<typeof linesBackwards> extends Generator<infer Line> ? Line : never) => T,
): T[] {
  const fd = openSync(file.path, 'r');
  try {
    const found: T[] = [];
    for (const line of linesBackwards(fd, { end: file.size, ...options })) found.push(read(line));
    return found;
  } finally {
    closeSync(fd);
  }
}

/** The forward reader of transcripts. */
function forwards(text: string): string[] {
  const lines = new ByteLines();
  const found = [...lines.push(Buffer.from(text))].map(({ bytes }) => bytes?.toString() ?? '');
  return [...found, ...[...lines.end()].map(({ bytes }) => bytes?.toString() ?? '')];
}
