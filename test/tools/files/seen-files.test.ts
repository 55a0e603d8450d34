import { chmodSync, readFileSync, renameSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { editTool } from '../../../src/tools/files/edit.ts';
import { readTool } from '../../../src/tools/files/read.ts';
import { writeTool } from '../../../src/tools/files/write.ts';
import { type Bench, createBench } from '../bench.ts';

let bench: Bench;

beforeEach(() => {
  bench = createBench();
});

afterEach(() => bench.dispose());

function edit(path: string) {
  return bench.run(editTool, { file_path: path, old_string: 'text', new_string: 'word' });
}

test('a change of the same size and time is seen', async () => {
  const path = bench.file('a.txt', 'text: old');
  const { atime, mtime } = statSync(path);
  await bench.run(readTool, { file_path: path });
  writeFileSync(path, 'text: new');
  utimesSync(path, atime, mtime);
  await expect(edit(path)).rejects.toThrow(/changed since/);
  await expect(bench.run(writeTool, { file_path: path, content: '' })).rejects.toThrow(/changed since/);
  expect(readFileSync(path, 'utf8')).toBe('text: new');
});

test('a change right after our own is seen', async () => {
  const path = bench.file('a.txt', 'text text');
  await bench.run(readTool, { file_path: path });
  await bench.run(editTool, { file_path: path, old_string: 'text text', new_string: 'text 1234' });
  writeFileSync(path, 'text 5678');
  await expect(edit(path)).rejects.toThrow(/changed since/);
});

test('what leaves the content as it is, is no change', async () => {
  const path = bench.file('a.txt', 'text');
  await bench.run(readTool, { file_path: path });
  chmodSync(path, 0o700);
  utimesSync(path, new Date(), new Date());
  writeFileSync(bench.path('copy'), 'text');
  renameSync(bench.path('copy'), path);
  await edit(path);
  expect(readFileSync(path, 'utf8')).toBe('word');
});

test('a symlink that leads elsewhere now is a change', async () => {
  bench.file('one', 'text 1');
  bench.file('two', 'text 2');
  symlinkSync('one', bench.path('link'));
  await bench.run(readTool, { file_path: 'link' });
  symlinkSync('two', bench.path('new-link'));
  renameSync(bench.path('new-link'), bench.path('link'));
  await expect(edit('link')).rejects.toThrow(/changed since/);
});

test('what was read in part may be edited, not replaced; so may what was cut', async () => {
  const path = bench.file('a.txt', `text\n${'x'.repeat(3000)}\n`);
  await bench.run(readTool, { file_path: path });
  await expect(bench.run(writeTool, { file_path: path, content: '' })).rejects.toThrow(/Only a part/);
  await edit(path);
  await expect(bench.run(writeTool, { file_path: path, content: '' })).rejects.toThrow(/Only a part/);
});
