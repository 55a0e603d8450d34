import { readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readTool } from '../../../src/tools/files/read.ts';
import { writeTool } from '../../../src/tools/files/write.ts';
import { type Bench, createBench } from '../bench.ts';

let bench: Bench;

beforeEach(() => {
  bench = createBench();
});

afterEach(() => bench.dispose());

test('creates a file', async () => {
  const path = bench.path('deep/er/new.txt');
  const { data } = await bench.run(writeTool, { file_path: path, content: 'hello\n' });
  expect(readFileSync(path, 'utf8')).toBe('hello\n');
  expect(statSync(path).mode & 0o777).toBe(0o666 & ~process.umask());
  expect(data).toEqual({
    type: 'create',
    filePath: path,
    content: 'hello\n',
    structuredPatch: [],
    originalFile: null,
  });
});

test('replaces one that was read, and may do so again', async () => {
  const path = bench.file('a.txt', 'one\ntwo\n');
  await bench.run(readTool, { file_path: path });
  const { data } = await bench.run(writeTool, { file_path: path, content: 'one\n2\n' });
  expect(data).toEqual({
    type: 'update',
    filePath: path,
    content: 'one\n2\n',
    structuredPatch: [{ oldStart: 1, oldLines: 2, newStart: 1, newLines: 2, lines: [' one', '-two', '+2'] }],
    originalFile: 'one\ntwo\n',
  });
  await bench.run(writeTool, { file_path: path, content: 'three' });
  expect(readFileSync(path, 'utf8')).toBe('three');
});

test('refuses what was not read, was changed since, or was read in part', async () => {
  const path = bench.file('a.txt', 'a\nb\nc\n');
  const write = () => bench.run(writeTool, { file_path: path, content: 'x' });
  await expect(write()).rejects.toMatchObject({ wrap: true, message: expect.stringMatching(/not been read/) });
  await bench.run(readTool, { file_path: path, limit: 1 });
  await expect(write()).rejects.toMatchObject({ wrap: true, message: expect.stringMatching(/Only a part/) });
  await bench.run(readTool, { file_path: path });
  writeFileSync(path, 'a\nb\nC\n');
  await expect(write()).rejects.toMatchObject({ wrap: true, message: expect.stringMatching(/changed since/) });
  expect(readFileSync(path, 'utf8')).toBe('a\nb\nC\n');
});

test('writes through a symlink, also to a target that does not exist yet', async () => {
  symlinkSync('target.txt', bench.path('link'));
  await bench.run(writeTool, { file_path: 'link', content: 'text' });
  expect(readFileSync(bench.path('target.txt'), 'utf8')).toBe('text');
});

test('leaves no temporary file behind, and says why it failed', async () => {
  bench.file('file', 'x');
  await expect(bench.run(writeTool, { file_path: 'file/sub.txt', content: 'x' })).rejects.toThrow(/not a directory/);
  await expect(bench.run(writeTool, { file_path: '.', content: 'x' })).rejects.toThrow(/directory/);
  await expect(bench.context.workspace.writeFile('/dev/null', 'x')).rejects.toThrow(/not a regular file/);
  expect(readdirSync(bench.dir)).toEqual(['file']);
});

test('[K34] bounds what the result carries', async () => {
  const content = 'ü\n"'.repeat(100_000);
  const created = await bench.run(writeTool, { file_path: 'big.txt', content });
  expect(Buffer.byteLength(JSON.stringify(created.data))).toBeLessThan(210_000);
  expect(readFileSync(bench.path('big.txt'), 'utf8')).toBe(content);
  const { data } = await bench.run(writeTool, { file_path: 'big.txt', content: content.replaceAll('ü', 'ö') });
  expect(Buffer.byteLength(JSON.stringify(data))).toBeLessThan(620_000);
});

test('is an edit and runs alone', () => {
  const input = { file_path: 'a.txt', content: '' };
  expect(writeTool.access(input, bench.context.workspace)).toEqual({ kind: 'edit', paths: [bench.path('a.txt')] });
  expect(writeTool.isConcurrencySafe(input)).toBe(false);
});

test('what could not be shown is not written back as something else', async () => {
  const latin = Buffer.from('caf\xe9 one', 'latin1');
  const path = bench.file('latin1.txt', latin);
  await bench.run(readTool, { file_path: path });
  const writing = bench.run(writeTool, { file_path: path, content: 'caf\uFFFD two' });
  await expect(writing).rejects.toThrow(/would be lost/);
  expect(readFileSync(path)).toEqual(latin);
});
