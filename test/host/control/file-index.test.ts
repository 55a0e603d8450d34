import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { bestOf } from '../../../src/host/control/file-index.ts';
import { fuzzyQuery, fuzzyScore, lettersOf } from '../../../src/util/text/fuzzy-match.ts';

const never = new AbortController().signal;

/** As many as are listed at most, with names as projects have them. */
function manyPaths(): string[] {
  const words = [
    'parser',
    'session',
    'control',
    'index',
    'render',
    'Button',
    'user_list',
    'api-client',
    'schema',
    'test',
  ];
  return Array.from({ length: 200_000 }, (_, at) => {
    const word = (step: number) => words[Math.floor(at / step) % words.length];
    return `packages/${word(1)}-${at % 97}/src/${word(10)}/${word(100)}/${word(1000)}${at}.ts`;
  });
}

test('[TUI-52] 200,000 files are searched in slices, and quickly', async () => {
  const paths = manyPaths();
  const list = { paths, letters: paths.map(lettersOf) };
  let isDone = false;
  let turns = 0;
  const others = (async () => {
    while (!isDone) {
      await setImmediate();
      turns += 1;
    }
  })();
  await bestOf(list, fuzzyQuery('sesix'), { limit: 20, signal: never }); // warm
  const times: number[] = [];
  for (const query of ['p', 'sess', 'ctrlidx', 'Buttontest', 'session12', 'zzzz']) {
    const before = process.cpuUsage();
    const { best } = await bestOf(list, fuzzyQuery(query), { limit: 20, signal: never });
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1000);
    expect(best.length).toBe(query === 'zzzz' ? 0 : 20);
  }
  isDone = true;
  await others;
  expect(turns).toBeGreaterThan(20);
  // Five times the budget, because machines of tests are slow and shared.
  expect(Math.max(...times), times.map(Math.round).join(' ')).toBeLessThan(250);
});

test('a search that is withdrawn ends', async () => {
  const paths = manyPaths();
  const list = { paths, letters: paths.map(lettersOf) };
  const stop = new AbortController();
  const search = bestOf(list, fuzzyQuery('p'), { limit: 5, signal: stop.signal });
  stop.abort();
  await expect(search).rejects.toThrow();
});

test('the better a name fits, the higher it stands', async () => {
  const order = async (query: string, ...paths: string[]) => {
    const list = { paths, letters: paths.map(lettersOf) };
    return (await bestOf(list, fuzzyQuery(query), { limit: 10, signal: never })).best.map(({ path }) => path);
  };
  expect(await order('view', 'src/vi/ew.ts', 'src/view.ts', 'view/other.ts')).toEqual([
    'src/view.ts',
    'view/other.ts',
    'src/vi/ew.ts',
  ]);
  expect(await order('fc', 'src/facts.ts', 'src/file-control.ts')).toEqual(['src/file-control.ts', 'src/facts.ts']);
  expect(await order('FC', 'src/file-control.ts', 'src/FileControl.ts')).toEqual(['src/FileControl.ts']);
});

test('the positions are those of the characters that fit', () => {
  const positions: number[] = [];
  expect(fuzzyScore(fuzzyQuery('ab'), 'xa/ab', positions)).toBeGreaterThan(0);
  expect(positions).toEqual([3, 4]);
  expect(fuzzyScore(fuzzyQuery('ba'), 'ab')).toBe(-1);
  expect(fuzzyScore(fuzzyQuery(''), 'ab')).toBe(0);
});
