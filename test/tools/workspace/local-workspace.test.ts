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
import { editTool } from '../../../src/tools/files/edit.ts';
import { readTool } from '../../../src/tools/files/read.ts';
import { createLocalWorkspace } from '../../../src/tools/workspace/local-workspace.ts';
import type { Workspace } from '../../../src/tools/workspace.ts';
import { asOrdinaryUser } from '../../support/as-user.ts';
import { type Bench, createBench } from '../bench.ts';

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

test('[G8] what is new below the private directory is for the user alone; what is there keeps its mode', async () => {
  const { processes } = bench;
  const privateDir = bench.path('own');
  mkdirSync(privateDir);
  symlinkSync('own', bench.path('link'));
  const local = createLocalWorkspace({ cwd: bench.path('.'), home: '/h', privateDir: bench.path('link'), processes });
  const modeOf = (name: string) => statSync(bench.path(name)).mode & 0o777;
  await local.writeFile(bench.path('own/a/new.txt'), 'x');
  await local.writeFile(bench.path('link/by-link.txt'), 'x');
  await local.writeFile(bench.path('own-not.txt'), 'x');
  chmodSync(bench.path('own/a/new.txt'), 0o640);
  await local.writeFile(bench.path('own/a/new.txt'), 'y');
  expect([modeOf('own/a'), modeOf('own/a/new.txt'), modeOf('own/by-link.txt')]).toEqual([0o700, 0o640, 0o600]);
  expect(modeOf('own-not.txt') & 0o400).toBe(0o400);
  expect(modeOf('own-not.txt')).toBe(0o666 & ~process.umask());
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

describe('a write that fails half-way', () => {
  async function* failing(code: string) {
    yield 'half of the new content';
    throw Object.assign(new Error('write failed'), { code });
  }

  test.each([
    ['ENOSPC', /no space left on the device/],
    ['EDQUOT', /disk quota/],
    ['EFBIG', /larger than files may be/],
    ['EIO', /cannot be used: write failed/],
  ])('%s: is said aloud, leaves the file as it was, and nothing beside it', async (code, message) => {
    const path = bench.file('a.txt', 'old');
    // Node takes pieces too, which is how a disk that fills up can be had without one.
    await expect(workspace.writeFile(path, failing(code) as never)).rejects.toMatchObject({
      name: 'ToolError',
      message: expect.stringMatching(message),
    });
    await expect(workspace.writeFile(bench.path('new.txt'), failing(code) as never)).rejects.toThrow(message);
    expect(readFileSync(path, 'utf8')).toBe('old');
    expect(readdirSync(bench.dir)).toEqual(['a.txt']);
  });

  test('an edit that meets it changes nothing, and the file may be edited again', async () => {
    const path = bench.file('a.txt', 'old');
    await bench.run(readTool, { file_path: path });
    const full = { ...workspace, writeFile: () => workspace.writeFile(path, failing('ENOSPC') as never) };
    const edit = { file_path: path, old_string: 'old', new_string: 'new' };
    await expect(bench.run(editTool, edit, { workspace: full })).rejects.toThrow(/no space left/);
    expect(readFileSync(path, 'utf8')).toBe('old');
    await bench.run(editTool, edit);
    expect(readFileSync(path, 'utf8')).toBe('new');
  });
});

test('reads in pieces, and closes the file when nobody reads on', async () => {
  const bytes = Buffer.alloc(600_000, 'abc');
  bench.file('a.txt', bytes);
  const pieces: Uint8Array[] = [];
  for await (const piece of workspace.readChunks(bench.path('a.txt'))) pieces.push(piece);
  expect(pieces.length).toBeGreaterThan(1);
  expect(Buffer.concat(pieces).equals(bytes)).toBe(true);
  const openFiles = () => (existsSync('/proc/self/fd') ? readdirSync('/proc/self/fd').length : 0);
  const before = openFiles();
  for await (const _ of workspace.readChunks(bench.path('a.txt'))) break;
  expect(openFiles()).toBe(before);
});

test('pieces of what is no file are refused', async () => {
  const first = async (path: string) => {
    for await (const piece of workspace.readChunks(path)) return piece;
  };
  await expect(first(bench.path('none'))).rejects.toThrow(/none does not exist/);
  await expect(first(bench.dir)).rejects.toThrow(/is a directory/);
  await expect(first('/dev/zero')).rejects.toThrow(/not a regular file/);
});

test('reads bytes as they are, and lists directories', async () => {
  bench.file('bytes', Buffer.from([0, 255, 1]));
  expect([...(await workspace.readFile(bench.path('bytes')))]).toEqual([0, 255, 1]);
  expect(await workspace.list(bench.dir)).toEqual(['bytes']);
  expect(await workspace.list(join(bench.dir, 'none'))).toEqual([]);
  await expect(workspace.readFile(bench.path('none'))).rejects.toThrow(/none does not exist/);
  await expect(workspace.readFile(bench.path('nul\0byte'))).rejects.toMatchObject({ name: 'ToolError' });
});
