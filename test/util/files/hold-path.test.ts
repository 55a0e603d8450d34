import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { holdDirectory, holdEntry, holdFile, PathChanged } from '../../../src/util/files/hold-path.ts';

let base: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'heddle-hold-')));
  mkdirSync(join(base, 'real/deep'), { recursive: true });
  mkdirSync(join(base, 'outside'));
  writeFileSync(join(base, 'real/a'), 'one');
  writeFileSync(join(base, 'outside/a'), 'secret');
  symlinkSync('real', join(base, 'link'));
  symlinkSync('a', join(base, 'real/to-a'));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

describe.each([
  ['by open files', '/proc'],
  ['by checking, where the system shows no processes', '/nowhere'],
])('%s', (_how, processes) => {
  test('a real path is held', async () => {
    expect(await holdDirectory(join(base, 'real'), async (at) => readdirSync(at).sort(), { processes })).toEqual([
      'a',
      'deep',
      'to-a',
    ]);
    expect(await holdFile(join(base, 'real/a'), (at) => readFile(at, 'utf8'), { processes })).toBe('one');
    expect(await holdDirectory('/', async (at) => readdirSync(at).includes('usr'), { processes })).toBe(true);
  });

  test('what is missing is made', async () => {
    await holdEntry(join(base, 'real/x/y/b'), (at) => writeFile(at, 'two'), { make: 0o777, processes });
    expect(await readFile(join(base, 'real/x/y/b'), 'utf8')).toBe('two');
    const missing = holdEntry(join(base, 'none/b'), (at) => writeFile(at, ''), { processes });
    await expect(missing).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test.each(['link/a', 'link/deep/a', 'link/new/a', 'real/to-a'])('a link on the way is refused: %s', async (name) => {
    const held = holdFile(join(base, name), async () => 'reached', { make: 0o777, processes });
    await expect(held).rejects.toBeInstanceOf(PathChanged);
    expect(readdirSync(join(base, 'real')).sort()).toEqual(['a', 'deep', 'to-a']);
  });

  test('a file in the place of a directory is what it is', async () => {
    const held = holdEntry(join(base, 'real/a/b'), (at) => readFile(at), { processes });
    await expect(held).rejects.toMatchObject({ code: 'ENOTDIR' });
  });
});

test('a directory that is exchanged while it is held is still the same', async () => {
  const text = await holdDirectory(join(base, 'real'), async (at) => {
    renameSync(join(base, 'real'), join(base, 'moved'));
    symlinkSync('outside', join(base, 'real'));
    return readFile(join(at, 'a'), 'utf8');
  });
  expect(text).toBe('one');
});

test('without open files an exchange is noticed afterwards', async () => {
  const held = holdEntry(
    join(base, 'real/deep/a'),
    async (at) => {
      rmSync(join(base, 'real'), { recursive: true });
      symlinkSync('outside', join(base, 'real'));
      return at;
    },
    { processes: '/nowhere' },
  );
  await expect(held).rejects.toBeInstanceOf(PathChanged);
});
