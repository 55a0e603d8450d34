import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createLocalWorkspace } from '../../src/tools/local-workspace.ts';
import type { Workspace } from '../../src/tools/workspace.ts';
import { asOrdinaryUser } from '../support/as-user.ts';
import { type Bench, createBench } from './bench.ts';

let bench: Bench;
let workspace: Workspace;

beforeEach(() => {
  bench = createBench();
  workspace = bench.context.workspace;
});

afterEach(() => bench.dispose());

test('[R-8] its directories are real paths', () => {
  mkdirSync(bench.path('real'));
  mkdirSync(bench.path('more'));
  symlinkSync('real', bench.path('link'));
  const { processes } = bench;
  const linked = createLocalWorkspace({ cwd: bench.path('link'), roots: ['../more', '.'], home: '/h', processes });
  expect(linked.cwd).toBe(realpathSync(bench.path('real')));
  expect(linked.roots).toEqual([bench.path('real'), bench.path('more')]);
});

test('resolves what a model writes', () => {
  expect(workspace.resolve('a/../b.txt')).toBe(bench.path('b.txt'));
  expect(workspace.resolve('/x//y/.')).toBe('/x/y');
  expect(workspace.resolve('~')).toMatch(/\/home$/);
  expect(workspace.resolve('~/a')).toMatch(/\/home\/a$/);
  expect(workspace.resolve('~other')).toBe(bench.path('~other'));
  const homeless = createLocalWorkspace({ cwd: bench.dir, home: '', processes: bench.processes });
  expect(homeless.resolve('~/a')).toBe(bench.path('~/a'));
});

test('tells files, directories and other things apart', async () => {
  bench.file('a.txt', 'abc');
  expect(await workspace.stat(bench.path('a.txt'))).toMatchObject({ kind: 'file', size: 3 });
  expect(await workspace.stat(bench.dir)).toMatchObject({ kind: 'directory' });
  expect(await workspace.stat('/dev/null')).toMatchObject({ kind: 'other' });
  expect(await workspace.stat(bench.path('none'))).toBeNull();
  expect(await workspace.stat(bench.path('a.txt/none'))).toBeNull();
});

describe('writing', () => {
  test('[G8] replaces atomically: a reader of the old file keeps it, no half is ever seen', async () => {
    const path = bench.file('a.txt', 'old');
    const before = statSync(path).ino;
    await workspace.writeFile(path, 'new');
    expect(statSync(path).ino).not.toBe(before);
    expect(readFileSync(path, 'utf8')).toBe('new');
    expect(readdirSync(bench.dir)).toEqual(['a.txt']);
  });

  test('keeps special modes and gives new files the usual one', async () => {
    const path = bench.file('a.sh', 'old');
    chmodSync(path, 0o4750);
    await workspace.writeFile(path, 'new');
    expect(statSync(path).mode & 0o7777).toBe(0o4750);
  });

  test('[R-9] ends where the symlinks end, in files and directories', async () => {
    mkdirSync(bench.path('real'));
    symlinkSync('real', bench.path('dir'));
    symlinkSync('second', bench.path('first'));
    symlinkSync('dir/deep/target', bench.path('second'));
    await workspace.writeFile(bench.path('dir/new.txt'), 'a');
    await workspace.writeFile(bench.path('first'), 'b');
    expect(readFileSync(bench.path('real/new.txt'), 'utf8')).toBe('a');
    expect(readFileSync(bench.path('real/deep/target'), 'utf8')).toBe('b');
  });

  test('refuses loops, directories and devices', async () => {
    symlinkSync('loop', bench.path('loop'));
    await expect(workspace.writeFile(bench.path('loop'), 'x')).rejects.toThrow(/loop of symbolic links/);
    await expect(workspace.writeFile(bench.dir, 'x')).rejects.toThrow(/is a directory/);
    await expect(workspace.writeFile('/dev/full', 'x')).rejects.toThrow(/not a regular file/);
    expect(existsSync('/dev/full')).toBe(true);
  });

  test('does not replace a read-only file', async () => {
    const path = bench.file('a.txt', 'old');
    chmodSync(path, 0o444);
    await asOrdinaryUser(dirname(bench.dir), async () => {
      await expect(workspace.writeFile(path, 'new')).rejects.toThrow(/permission denied/);
    });
    expect(readFileSync(path, 'utf8')).toBe('old');
  });
});

test('reads bytes as they are, and lists directories', async () => {
  bench.file('bytes', Buffer.from([0, 255, 1]));
  expect([...(await workspace.readFile(bench.path('bytes')))]).toEqual([0, 255, 1]);
  expect(await workspace.list(bench.dir)).toEqual(['bytes']);
  expect(await workspace.list(join(bench.dir, 'none'))).toEqual([]);
  await expect(workspace.readFile(bench.path('none'))).rejects.toThrow(/none does not exist/);
  await expect(workspace.readFile(bench.path('nul\0byte'))).rejects.toMatchObject({ name: 'ToolError' });
});
