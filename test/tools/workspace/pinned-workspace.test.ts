import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Workspace } from '../../../src/tools/workspace.ts';
import { type Bench, createBench } from '../bench.ts';

let bench: Bench;
let outside: string;

beforeEach(() => {
  bench = createBench();
  outside = join(dirname(bench.dir), 'outside');
  mkdirSync(outside);
  writeFileSync(join(outside, 'a.txt'), 'secret');
  bench.file('real/a.txt', 'one');
  symlinkSync('real', bench.path('d'));
});

afterEach(() => bench.dispose());

/** The workspace of a call that names `name`, which was judged as the file `real`. */
function pinned(name: string, real: string): Promise<Workspace> {
  return bench.context.workspace.pin(new Map([[bench.path(name), bench.path(real)]]));
}

/** `name` becomes a link to somewhere else. */
function relink(name: string, target: string): void {
  rmSync(bench.path(name), { recursive: true, force: true });
  symlinkSync(target, bench.path(name));
}

async function chunksOf(workspace: Workspace, path: string): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of workspace.readChunks(path)) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

const CHANGED = /changed while the call was being judged/;
const openFiles = () => (existsSync('/proc/self/fd') ? readdirSync('/proc/self/fd').length : 0);

describe('[R-8] a link on the way that leads elsewhere since', () => {
  test('does not matter: what was judged is read and written', async () => {
    const workspace = await pinned('d/a.txt', 'real/a.txt');
    relink('d', outside);
    const path = bench.path('d/a.txt');
    expect(await workspace.stat(path)).toMatchObject({ kind: 'file', size: 3 });
    expect(Buffer.from(await workspace.readFile(path)).toString()).toBe('one');
    expect(await chunksOf(workspace, path)).toBe('one');
    await workspace.writeFile(path, 'two');
    expect(readFileSync(bench.path('real/a.txt'), 'utf8')).toBe('two');
    expect(readFileSync(join(outside, 'a.txt'), 'utf8')).toBe('secret');
  });

  test('nor for a new file, with directories that are missing', async () => {
    const workspace = await pinned('d/x/y/new.txt', 'real/x/y/new.txt');
    relink('d', outside);
    await workspace.writeFile(bench.path('d/x/y/new.txt'), 'new');
    expect(readFileSync(bench.path('real/x/y/new.txt'), 'utf8')).toBe('new');
    expect(readdirSync(outside)).toEqual(['a.txt']);
  });
});

describe.each([
  ['the directory', () => relink('real', outside)],
  ['the file', () => relink('real/a.txt', join(outside, 'a.txt'))],
])('[R-8] %s has become a link', (_what, change) => {
  test('nothing is read or written, and the model is told', async () => {
    const workspace = await pinned('real/a.txt', 'real/a.txt');
    change();
    const path = bench.path('real/a.txt');
    const before = openFiles();
    await expect(workspace.stat(path)).rejects.toThrow(CHANGED);
    await expect(workspace.readFile(path)).rejects.toThrow(CHANGED);
    await expect(chunksOf(workspace, path)).rejects.toThrow(CHANGED);
    await expect(workspace.writeFile(path, 'mine')).rejects.toThrow(CHANGED);
    await expect(workspace.hold(path, async () => 'held')).rejects.toThrow(CHANGED);
    expect(readFileSync(join(outside, 'a.txt'), 'utf8')).toBe('secret');
    expect(readdirSync(outside)).toEqual(['a.txt']);
    expect(openFiles()).toBe(before);
  });
});

test('[R-8] a directory that was to be made, and is a link by now', async () => {
  const workspace = await pinned('new/b.txt', 'new/b.txt');
  symlinkSync(outside, bench.path('new'));
  await expect(workspace.writeFile(bench.path('new/b.txt'), 'x')).rejects.toThrow(CHANGED);
  expect(readdirSync(outside)).toEqual(['a.txt']);
});

test('[R-8] what is exchanged while a file is written does not move it', async () => {
  const workspace = await pinned('real/a.txt', 'real/a.txt');
  await workspace.writeFile(bench.path('real/a.txt'), 'two', async () => {
    renameSync(bench.path('real'), bench.path('moved'));
    relink('real', outside);
  });
  expect(readFileSync(bench.path('moved/a.txt'), 'utf8')).toBe('two');
  expect(readFileSync(join(outside, 'a.txt'), 'utf8')).toBe('secret');
});

test('[R-8] the file that is kept is the one that is written', async () => {
  const workspace = await pinned('d/a.txt', 'real/a.txt');
  relink('d', outside);
  const kept: unknown[] = [];
  await workspace.writeFile(bench.path('d/a.txt'), 'two', async ({ path, at }) => {
    kept.push(path, readFileSync(at, 'utf8'));
  });
  expect(kept).toEqual([bench.path('real/a.txt'), 'one']);
});

test('what was not judged cannot be reached; what is below it can, and its directory be listed', async () => {
  bench.file('other.txt', 'x');
  const workspace = await pinned('d', 'real');
  await expect(workspace.readFile(bench.path('other.txt'))).rejects.toThrow(/not what this call was allowed for/);
  await expect(workspace.writeFile(bench.path('other.txt'), '')).rejects.toThrow(/not what this call was allowed for/);
  relink('d', outside);
  expect(Buffer.from(await workspace.readFile(bench.path('d/a.txt'))).toString()).toBe('one');
  expect(await workspace.list(bench.path('d'))).toEqual(['a.txt']);
  const missing = await pinned('real/A.txt', 'real/A.txt');
  expect(await missing.list(bench.path('real'))).toEqual(['a.txt']);
});

test('[R-8] a step up out of what was judged leads nowhere', async () => {
  bench.file('other.txt', 'x');
  const workspace = await pinned('d', 'real');
  for (const path of [`${bench.path('d')}/../other.txt`, `${bench.path('d')}/../../outside/a.txt`]) {
    await expect(workspace.readFile(path)).rejects.toThrow(/not what this call was allowed for/);
    await expect(workspace.writeFile(path, '')).rejects.toThrow(/not what this call was allowed for/);
  }
  bench.file('real/..notes', 'two');
  expect(Buffer.from(await workspace.readFile(bench.path('d/..notes'))).toString()).toBe('two');
});

test('errors name the path as it was written', async () => {
  const path = bench.path('d/none/x');
  const workspace = await pinned('d/none/x', 'real/none/x');
  expect(await workspace.stat(path)).toBeNull();
  await expect(workspace.readFile(path)).rejects.toThrow(`${path} does not exist`);
  const directory = await pinned('d', 'real');
  await expect(directory.readFile(bench.path('d'))).rejects.toThrow(`${bench.path('d')} is a directory`);
  await expect(directory.writeFile(bench.path('d'), '')).rejects.toThrow(`${bench.path('d')} is a directory`);
});

test('[R-8] a program that is started works in the directory that was judged', async () => {
  const workspace = await pinned('d', 'real');
  const outcome = await workspace.hold(bench.path('d'), async ({ at, path }) => {
    relink('d', outside);
    renameSync(bench.path('real'), bench.path('moved'));
    relink('real', outside);
    let text = '';
    const onOutput = (_stream: string, data: Buffer) => {
      text += data;
    };
    const spec = { command: '/bin/cat', args: ['a.txt'], cwd: at, env: {}, onOutput };
    await workspace.exec(spec, bench.context.signal);
    return { text, path };
  });
  expect(outcome).toEqual({ text: 'one', path: bench.path('real') });
});
