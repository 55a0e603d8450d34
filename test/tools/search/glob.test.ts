import { mkdirSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { globTool } from '../../../src/tools/search/glob.ts';
import type { Workspace } from '../../../src/tools/workspace.ts';
import { toolServices } from '../../support/tool-services.ts';
import { type Bench, createBench } from '../bench.ts';

let bench: Bench;

beforeEach(() => {
  bench = createBench();
});

afterEach(() => bench.dispose());

async function names(pattern: string, path?: string): Promise<string[]> {
  const { data } = await bench.run(globTool, { pattern, path });
  const { filenames } = data as { filenames: string[] };
  return filenames.map((name) => name.slice(bench.dir.length + 1)).sort();
}

test('lists absolute paths, the newest last', async () => {
  bench.file('a.txt', '', 60);
  bench.file('b.txt', '', 61);
  bench.file('sub/c.txt', '', 30);
  bench.file('other.md', '');
  const { content, data, todaysData } = await bench.run(globTool, { pattern: '*.txt' });
  const filenames = ['b.txt', 'a.txt', 'sub/c.txt'].map(bench.path);
  expect(content).toBe(filenames.join('\n'));
  expect(data).toEqual({ filenames, durationMs: expect.any(Number), numFiles: 3, truncated: false });
  expect(todaysData).toEqual({ totalMatches: 3, countIsComplete: true });
});

test('understands patterns', async () => {
  for (const name of ['a.ts', 'src/b.ts', 'src/deep/c.tsx', 'src/d.js', '.hidden/e.ts', '-f.ts']) bench.file(name, '');
  expect(await names('**/*.ts')).toEqual(['-f.ts', '.hidden/e.ts', 'a.ts', 'src/b.ts']);
  expect(await names('src/**/*.{ts,tsx}')).toEqual(['src/b.ts', 'src/deep/c.tsx']);
  expect(await names('./src/*.js')).toEqual(['src/d.js']);
  expect(await names('*.tsx', 'src')).toEqual(['src/deep/c.tsx']);
  expect(await names(bench.path('src/*.ts'))).toEqual(['src/b.ts']);
  expect(await names(bench.path('a.ts'))).toEqual(['a.ts']);
  expect(await names('-f.ts')).toEqual(['-f.ts']);
});

test('a pattern may lead out of the directory', async () => {
  for (const name of ['a.ts', 'src/b.ts', 'src/deep/c.ts', 'lib/d.ts']) bench.file(name, '');
  expect(await names('../lib/*.ts', 'src')).toEqual(['lib/d.ts']);
  expect(await names('src/../lib/*.ts')).toEqual(['lib/d.ts']);
  expect(await names('../*.ts', 'src/deep')).toEqual(['src/b.ts']);
  const access = globTool.access({ pattern: '../lib/*.ts', path: 'src' }, bench.context.workspace);
  expect(access).toEqual({ kind: 'read', paths: [bench.path('lib')] });
  expect(globTool.access({ pattern: '~/*.ts' }, bench.context.workspace)).toEqual({
    kind: 'read',
    paths: [bench.context.workspace.resolve('~')],
  });
});

test('leaves out version control, and what is ignored unless nothing else matches', async () => {
  bench.file('.git/config', '');
  bench.file('.gitignore', 'built/\n');
  bench.file('built/a.js', '');
  bench.file('b.js', '');
  expect(await names('**/*')).toEqual(['.gitignore', 'b.js']);
  expect(await names('**/*.js')).toEqual(['b.js']);
  expect(await names('built/*.js')).toEqual(['built/a.js']);
});

test('keeps the 100 newest', async () => {
  for (let n = 0; n < 105; n++) bench.file(`${n}.txt`, '', 1000 - n);
  const { content, data } = await bench.run(globTool, { pattern: '*.txt' });
  expect(data).toMatchObject({ numFiles: 100, truncated: true });
  expect((data as { filenames: string[] }).filenames[0]).toBe(bench.path('5.txt'));
  expect(content).toMatch(/\/104\.txt\n\(100 of 105 files/);
});

/** What search programs were started with. */
const runs: (readonly string[])[] = [];

/** A search program that prints this, and how it ends. */
function printing(pieces: string[], timedOut: boolean): Workspace {
  return {
    ...bench.context.workspace,
    async exec({ args, onOutput }, signal) {
      runs.push(args);
      for (const piece of pieces) onOutput?.('stdout', Buffer.from(piece));
      if (signal.aborted) throw signal.reason;
      return { exitCode: timedOut ? null : 0, signal: null, timedOut, stillRunning: false };
    },
  };
}

test('a search that ended early says so, and is not made again', async () => {
  runs.length = 0;
  const late = await bench.run(globTool, { pattern: '*' }, { workspace: printing(['a.txt\0b.t'], true) });
  expect(late.content).toBe(
    `${bench.path('a.txt')}\n[The search took too long and was ended: this is what it had found. Narrow it down]`,
  );
  expect(late.data).toMatchObject({ numFiles: 1, truncated: true });

  const much = Array(2).fill(`${'d/'.repeat(50)}x\0`.repeat(100_000));
  const large = await bench.run(globTool, { pattern: '*' }, { workspace: printing(much, false) });
  expect(large.content).toMatch(
    /\(100 of \d+ files.*\)\n\[There was too much to take it all: narrow the search down\]$/,
  );
  expect(runs).toHaveLength(2);
});

test('[K34] file names that take much space are bounded together', async () => {
  const long = Array.from({ length: 100 }, (_, at) => `${'\u0001'.repeat(2000)}${at}\0`);
  const { data } = await bench.run(globTool, { pattern: '*' }, { workspace: printing(long, false) });
  expect(JSON.stringify(data).length).toBeLessThan(201_000);
  expect(data).toMatchObject({ numFiles: 16, truncated: true });
  expect((data as { filenames: string[] }).filenames.at(-1)).toBe(bench.path(`${'\u0001'.repeat(2000)}0`));
});

test('[R-10] what is hidden is neither shown nor counted', async () => {
  for (let n = 0; n < 60; n++) bench.file(`open/${n}.txt`, '', 1000);
  for (let n = 0; n < 60; n++) bench.file(`deep/secret/${n}.txt`, '', 10);
  bench.file('secret/[odd] {name}!.txt', '', 10);
  bench.file('.gitignore', 'built\n');
  bench.file('built/secret/x.txt', '');
  const service = toolServices({ search: { readableFilter: async () => (path) => !path.includes('/secret') } });
  const { content, data } = await bench.run(globTool, { pattern: '**/*.txt' }, { service });
  expect(data).toMatchObject({ numFiles: 60, truncated: false });
  expect(content).not.toMatch(/secret|of 1/);
  expect((await bench.run(globTool, { pattern: 'secret/*' }, { service })).content).toBe('No files found');
  // Where nothing but hidden files match, those that are ignored are looked for, and hidden all the same.
  expect((await bench.run(globTool, { pattern: '**/x.txt' }, { service })).content).toBe('No files found');
});

test('says when there is nothing, and when there is no such directory', async () => {
  expect((await bench.run(globTool, { pattern: '*.none' })).content).toBe('No files found');
  await expect(bench.run(globTool, { pattern: '*', path: 'none' })).rejects.toThrow(/does not exist/);
  await expect(bench.run(globTool, { pattern: '{a' })).rejects.toThrow(/not valid.*unclosed/);
});

test('reads the directory it searches', () => {
  mkdirSync(bench.path('src'));
  const access = (input: { pattern: string; path?: string }) => globTool.access(input, bench.context.workspace);
  expect(access({ pattern: '*' })).toEqual({ kind: 'read', paths: [bench.dir] });
  expect(access({ pattern: '*', path: 'src' })).toEqual({ kind: 'read', paths: [bench.path('src')] });
  expect(access({ pattern: '/etc/ssh/*', path: 'src' })).toEqual({ kind: 'read', paths: ['/etc/ssh'] });
});
