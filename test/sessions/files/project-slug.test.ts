import { describe, expect, test } from 'vitest';
import { projectSlug, projectSlugs } from '../../../src/sessions/files/project-slug.ts';

describe('project slug', () => {
  test.each([
    ['/w/odd dir.ünï_x@1+b', '-w-odd-dir--n--x-1-b'],
    ['/w/UPPER.Case', '-w-UPPER-Case'],
    ['/', '-'],
    ['/a/😀', '-a---'],
  ])('%s is kept in %s', (project, slug) => {
    expect(projectSlug(project)).toBe(slug);
    expect(projectSlugs(project)).toEqual([slug]);
  });

  test('200 characters are kept whole, 201 are cut and marked with the hash of the path', () => {
    const fits = `/${'a'.repeat(199)}`;
    const long = `${fits}b`;
    expect(projectSlug(fits)).toBe(`-${'a'.repeat(199)}`);
    expect(projectSlug(long)).toBe(`-${'a'.repeat(199)}-${referenceHash(long)}`);
  });

  test('a long path is also looked for under its whole slug', () => {
    const long = `/${'deep/'.repeat(50)}`;
    expect(projectSlugs(long)).toEqual([projectSlug(long), long.replaceAll('/', '-')]);
  });

  test('long paths with the same beginning do not share a folder', () => {
    const base = `/${'x'.repeat(220)}`;
    expect(projectSlug(`${base}/a`)).not.toBe(projectSlug(`${base}/b`));
  });
});

/** The same hash by another way: exact arithmetic, wrapped to 32 bits at the end. */
function referenceHash(path: string): string {
  let hash = 0n;
  for (const unit of path.split('')) hash = hash * 31n + BigInt(unit.charCodeAt(0));
  const wrapped = BigInt.asIntN(32, hash);
  return (wrapped < 0n ? -wrapped : wrapped).toString(36);
}
