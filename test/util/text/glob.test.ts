import { describe, expect, test } from 'vitest';
import { globMatcher } from '../../../src/util/text/glob.ts';

describe('a glob', () => {
  test.each([
    ['**/*.ts', ['a.ts', 'src/deep/a.ts'], ['a.tsx', 'src/a.js']],
    ['*.md', ['README.md', '.hidden.md'], ['docs/a.md', 'a.mdx']],
    ['src/**/*', ['src/a', 'src/b/c'], ['src', 'lib/a']],
    ['src/*', ['src/a'], ['src/a/b']],
    ['src/', ['src/a', 'src/b/c'], ['srcs/a']],
    ['./src', ['src/a/b'], ['lib/src/a']],
    ['{src,lib}/**/*.{ts,tsx}', ['src/a.ts', 'lib/x/y.tsx'], ['src/a.js', 'test/a.ts']],
    ['src/{a,{b,c}/d}.ts', ['src/a.ts', 'src/c/d.ts'], ['src/b.ts']],
    ['a?[b-d][!e].x', ['a1cf.x'], ['a1ce.x', 'a1af.x', 'acf.x']],
    ['**/repo/CLAUDE.md', ['/home/repo/CLAUDE.md', 'repo/CLAUDE.md'], ['/home/repos/CLAUDE.md']],
    ['/home/**', ['/home/a/b'], ['/other/home/a']],
    ['a.b', ['a.b'], ['axb']],
    ['[', ['['], ['x']],
  ])('%s', (pattern, fitting, others) => {
    const fits = globMatcher(pattern);
    expect(fitting.filter((path) => !fits(path))).toEqual([]);
    expect(others.filter(fits)).toEqual([]);
  });

  test('of a stranger costs little time, whatever it is', () => {
    const fits = globMatcher(`${'{a,b}'.repeat(40)}${'*a'.repeat(200)}`);
    expect(fits('a'.repeat(4000))).toBe(false);
    expect(globMatcher(`${'**/a/'.repeat(100)}b`)(`${'a/'.repeat(1000)}c`)).toBe(false);
  });
});
