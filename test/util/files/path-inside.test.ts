import { describe, expect, it } from 'vitest';
import { isInside, isInsideAny } from '../../../src/util/files/path-inside.ts';

describe('isInside', () => {
  it.each<[string, string, boolean]>([
    ['/proj', '/proj', true],
    ['/proj', '/proj/a', true],
    ['/proj', '/proj/a/b', true],
    ['/proj', '/proj/..a', true],
    ['/', '/etc', true],
    ['/proj', '/proj-evil', false],
    ['/proj', '/proj-evil/a', false],
    ['/proj', '/wor', false],
    ['/proj', '/', false],
    ['/proj/a', '/proj', false],
    ['/proj/a', '/proj/b', false],
    // Names that begin with dots are names.
    ['/proj', '/proj/..', false],
    ['/proj', '/proj/...', true],
    ['/proj', '/proj/..a/b', true],
    ['/proj', '/proj/.a', true],
    ['/proj', '/proj/a/..b', true],
    ['/proj', '/..proj', false],
    ['/..proj', '/..proj/a', true],
    ['/..proj', '/proj', false],
    // Steps up count for what they are.
    ['/proj', '/proj/../etc', false],
    ['/proj', '/proj/a/../../etc', false],
    ['/proj', '/proj/a/../b', true],
    ['/proj', '/etc/../proj/a', true],
    ['/proj/../etc', '/etc/passwd', true],
    ['/proj/../etc', '/proj/a', false],
    ['/proj', '/proj/./a', true],
    ['/proj', '/proj/../proj-evil', false],
    // The root holds everything, and nothing else holds the root.
    ['/', '/', true],
    ['/', '/..', true],
    ['/', '/..a', true],
    ['/a', '/', false],
    // A slash at the end, or two of them, change nothing.
    ['/proj/', '/proj', true],
    ['/proj/', '/proj/a', true],
    ['/proj/', '/proj-evil', false],
    ['/proj', '/proj/', true],
    ['/proj', '/proj-evil/', false],
    ['/proj', '/proj//a', true],
    ['//', '/etc', true],
    // Case and odd letters count.
    ['/proj', '/PROJ/a', false],
    ['/proj', '/proj\\..\\etc', false],
    ['/proj', '/proj/\\..\\etc', true],
    ['/proj', '/proj /a', false],
    ['/proj\n', '/proj\n/a', true],
    ['/proj', '/proj\n/a', false],
  ])('[R-8] in %s lies %s: %s', (root, path, inside) => {
    expect(isInside(root, path)).toBe(inside);
  });
});

describe('isInsideAny', () => {
  it('[R-8] asks each directory; no directory holds nothing', () => {
    expect(isInsideAny(['/a', '/b'], '/b/c')).toBe(true);
    expect(isInsideAny(['/a', '/b'], '/c')).toBe(false);
    expect(isInsideAny(['/a', '/b'], '/bc')).toBe(false);
    expect(isInsideAny([], '/')).toBe(false);
  });
});
