import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readTool } from '../../../src/tools/files/read.ts';
import { type Bench, createBench } from '../bench.ts';

let bench: Bench;

beforeEach(() => {
  bench = createBench();
});

afterEach(() => bench.dispose());

const reminder = expect.stringMatching(/^\n\n<system-reminder>[^<]+<\/system-reminder>\n$/);

test('[TOOL-03] numbers the lines and gives the raw text as data', async () => {
  const path = bench.file('a.txt', 'line1\nline2\nline3\n');
  const { content, data, isError } = await bench.run(readTool, { file_path: path });
  const text = '     1→line1\n     2→line2\n     3→line3\n     4→';
  expect(String(content).slice(0, text.length)).toBe(text);
  expect(String(content).slice(text.length)).toEqual(reminder);
  expect(isError).toBeUndefined();
  expect(data).toEqual({
    type: 'text',
    file: { filePath: path, content: 'line1\nline2\nline3\n', numLines: 4, startLine: 1, totalLines: 4 },
  });
});

test('shows a part by offset and limit, and says which', async () => {
  const path = bench.file('a.txt', numbered(5000));
  const { content, data } = await bench.run(readTool, { file_path: path, offset: 4998, limit: 2 });
  expect(content).toMatch(/^ {2}4998→4998\n {2}4999→4999\n\n<system-reminder>\nLines 4998 to 4999 of 5001 /);
  expect(data).toMatchObject({ file: { content: '4998\n4999', numLines: 2, startLine: 4998, totalLines: 5001 } });
  expect(bench.context.files.get(path)).toMatchObject({ whole: false });
});

test('shows 2000 lines by default', async () => {
  const path = bench.file('a.txt', numbered(3000));
  const { data } = await bench.run(readTool, { file_path: path });
  expect(data).toMatchObject({ file: { numLines: 2000, totalLines: 3001 } });
});

test('cuts overlong lines for the model', async () => {
  const path = bench.file('a.txt', `${'x'.repeat(2500)}\nend`);
  const { content } = await bench.run(readTool, { file_path: path });
  expect(content).toContain(`1→${'x'.repeat(2000)}… [500 more characters]\n     2→end`);
});

test('shows the start of a line that is too long for anything, without the rest', async () => {
  const path = bench.file('min.js', `${'x'.repeat(300_000)}\nend`);
  const { content, data } = await bench.run(readTool, { file_path: path, limit: 5 });
  expect(content).toContain(`1→${'x'.repeat(2000)}… [a line of 300000 bytes]\n     2→end`);
  expect(JSON.stringify(data).length).toBeLessThan(60_000);
  expect(bench.context.files.get(path)).toMatchObject({ whole: false });
});

test('pages are for PDF files', async () => {
  bench.file('a.txt', 'text');
  await expect(bench.run(readTool, { file_path: 'a.txt', pages: '1' })).rejects.toThrow(/not a PDF/);
});

test('leaves out carriage returns and the byte order mark', async () => {
  const path = bench.file('a.txt', '\uFEFFa\r\nb\r\n');
  const { content } = await bench.run(readTool, { file_path: path });
  expect(content).toMatch(/^ {5}1→a\n {5}2→b\n/);
});

test('says that a file is empty, or shorter than the offset', async () => {
  const empty = bench.file('empty.txt', '');
  expect((await bench.run(readTool, { file_path: empty })).content).toMatch(/<system-reminder>\n.*empty/);
  const short = bench.file('short.txt', 'a\nb');
  expect((await bench.run(readTool, { file_path: short, offset: 9 })).content).toMatch(/only 2 lines/);
});

test('takes relative paths and ~, and follows symlinks', async () => {
  bench.file('sub/a.txt', 'text');
  symlinkSync('sub', bench.path('link'));
  await expect(bench.run(readTool, { file_path: 'sub/a.txt' })).resolves.toBeDefined();
  await expect(bench.run(readTool, { file_path: bench.path('link/a.txt') })).resolves.toBeDefined();
  expect(bench.context.workspace.resolve('~/x')).toBe(`${bench.dir.replace(/work$/, 'home')}/x`);
});

test('a missing file is an ordinary error that names similar ones', async () => {
  bench.file('config.yaml', '');
  await expect(bench.run(readTool, { file_path: bench.path('Config.yml') })).rejects.toMatchObject({
    name: 'ToolError',
    wrap: false,
    message: expect.stringMatching(/does not exist: .*Config\.yml.*Did you mean .*\/config\.yaml\?/),
  });
});

test('refuses directories, binaries, devices and FIFOs kindly', async () => {
  mkdirSync(bench.path('dir'));
  await expect(bench.run(readTool, { file_path: 'dir' })).rejects.toThrow(/is a directory.*Glob/);
  bench.file('image.png', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 1]));
  await expect(bench.run(readTool, { file_path: 'image.png' })).rejects.toThrow(/binary/);
  bench.file('a.zip', Buffer.from('PK\x03\x04\0\0', 'latin1'));
  await expect(bench.run(readTool, { file_path: 'a.zip' })).rejects.toThrow(/binary file \(a ZIP archive\)/);
  await expect(bench.run(readTool, { file_path: process.execPath })).rejects.toThrow(/an ELF program|a Mach-O program/);
  await expect(bench.run(readTool, { file_path: '/dev/stdin' })).rejects.toThrow(/not a regular file/);
  await expect(bench.run(readTool, { file_path: '/dev/zero' })).rejects.toThrow(/not a regular file/);
  execFileSync('mkfifo', [bench.path('fifo')]);
  await expect(bench.run(readTool, { file_path: 'fifo' })).rejects.toThrow(/not a regular file/);
  await expect(bench.context.workspace.readFile(bench.path('fifo'))).rejects.toThrow(/not a regular file/);
});

test('reads sockets as little as devices, and files of the system that say that they are empty', async () => {
  const server = createServer().listen(bench.path('socket'));
  await once(server, 'listening');
  await expect(bench.run(readTool, { file_path: 'socket' })).rejects.toThrow(/not a regular file/);
  server.close();
  await once(server, 'close');
  if (!existsSync('/proc/self/status')) return;
  const { content } = await bench.run(readTool, { file_path: '/proc/self/status' });
  expect(content).toMatch(/→Name:/);
});

test('[K34] refuses too much at once and says what to do', async () => {
  const path = bench.file('big.txt', 'some words\n'.repeat(30_000));
  await expect(bench.run(readTool, { file_path: path })).rejects.toThrow(/too large.*offset and limit/);
  await expect(bench.run(readTool, { file_path: path, limit: 30_000 })).rejects.toThrow(/smaller limit/);
  await expect(bench.run(readTool, { file_path: path, limit: 10 })).resolves.toBeDefined();
});

test('[K34] bounds both faces of a result, however they are written in JSON', async () => {
  const path = bench.file('odd.txt', `${'\u0001'.repeat(1900)}\n`.repeat(100));
  await expect(bench.run(readTool, { file_path: path })).rejects.toThrow(/too much at once/);
  bench.file('wide.txt', `${'"'.repeat(30_000)}\n`.repeat(8));
  const { content, data } = await bench.run(readTool, { file_path: 'wide.txt' });
  expect(Buffer.byteLength(JSON.stringify([content, data]))).toBeLessThan(900_000);
});

test('only reads', () => {
  expect(readTool.access({ file_path: 'a.txt' }, bench.context.workspace)).toEqual({
    kind: 'read',
    paths: [bench.path('a.txt')],
  });
  expect(readTool.description.length).toBeLessThanOrEqual(600);
  expect(readTool.isConcurrencySafe({ file_path: 'a.txt' })).toBe(true);
});

function numbered(lines: number): string {
  return Array.from({ length: lines }, (_, index) => `${index + 1}\n`).join('');
}
