import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createPathFinder, type PathPattern } from '../../../src/tools/path-guard/path-finder.ts';
import { longestHold } from '../../support/longest-hold.ts';
import { type Bench, createBench } from '../bench.ts';

let bench: Bench;
beforeEach(() => {
  bench = createBench();
});
afterEach(() => bench.dispose());

const named = (end: string, base = bench.dir): PathPattern => ({
  ...{ id: `${base}/**/*${end}`, rule: end, base, isDirectory: false },
  names: ['any', (name) => name.endsWith(end)],
});
const namesOf = async (finder: ReturnType<typeof createPathFinder>, ...patterns: PathPattern[]) => {
  const { paths, isComplete } = await finder.find(patterns);
  return { names: paths.map(({ path }) => path.slice(bench.dir.length + 1)).sort(), isComplete };
};

test('[G13] finds what has come and misses what has gone, in directories that it knows', async () => {
  const finder = createPathFinder();
  bench.file('a/x.pem', '');
  expect(await namesOf(finder, named('.pem'))).toEqual({ names: ['a/x.pem'], isComplete: true });
  bench.file('a/y.pem', '');
  bench.file('b/c/z.pem', '');
  expect((await namesOf(finder, named('.pem'))).names).toEqual(['a/x.pem', 'a/y.pem', 'b/c/z.pem']);
});

test('[G13] two bases reach one directory with different names', async () => {
  bench.file('a/b/x.pem', '');
  bench.file('a/b/y.key', '');
  const both = [named('.pem'), named('.key', join(bench.dir, 'a/b'))];
  expect((await namesOf(createPathFinder(), ...both)).names).toEqual(['a/b/x.pem', 'a/b/y.key']);
});

test('[G13] a limit ends the search aloud, and node_modules comes last', async () => {
  for (let at = 0; at < 20; at++) bench.file(`node_modules/p${at}/k.pem`, '');
  bench.file('src/deep/er/k.pem', '');
  const finder = createPathFinder({ directories: 10, entries: 1000, paths: 100 });
  const { names, isComplete } = await namesOf(finder, named('.pem'));
  expect([isComplete, names.includes('src/deep/er/k.pem')]).toEqual([false, true]);
  const few = createPathFinder({ directories: 100, entries: 1000, paths: 3 });
  expect(await namesOf(few, named('.pem'))).toMatchObject({ isComplete: false, names: { length: 3 } });
});

test('[G13] a search never holds up other work', async () => {
  for (let at = 0; at < 400; at++) {
    mkdirSync(join(bench.dir, `d${at}`));
    for (let file = 0; file < 40; file++) writeFileSync(join(bench.dir, `d${at}/f${file}`), '');
  }
  const longest = await longestHold(() => createPathFinder().find([named('.pem'), named('.key'), named('.env')]));
  expect(longest).toBeLessThan(200);
});
