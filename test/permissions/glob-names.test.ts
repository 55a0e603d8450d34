import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { namesMatcher } from '../../src/permissions/glob-names.ts';
import { pathMatcher } from '../../src/permissions/path-rules.ts';

/** What the segments mean, as a regular expression says it: shorter, and in some cases never done. */
function expression(segments: readonly string[], ignoreCase: boolean): RegExp {
  const source = segments.map((segment, at) => {
    const isLast = at === segments.length - 1;
    if (segment === '**') return isLast ? '.*' : '(?:.+/)?';
    const name = segment.replaceAll(/\./g, '\\.').replaceAll(/\*+/g, '[^/]*').replaceAll('?', '[^/]');
    return isLast ? name : `${name}/`;
  });
  return new RegExp(`^${source.join('') || '.*'}(?:/.*)?$`, ignoreCase ? 'isu' : 'su');
}

const segment = fc.oneof(
  fc.constant('**'),
  fc.array(fc.constantFrom('a', 'b', 'A', '*', '?', '.', 'ſ', 'S', '😀'), { minLength: 1, maxLength: 4 }).map((all) => {
    const text = all.join('');
    return /^\*{2,}$/.test(text) ? '*' : text;
  }),
);
const name = fc
  .array(fc.constantFrom('a', 'b', 'B', '.', 's', '😀'), { minLength: 1, maxLength: 4 })
  .map((all) => all.join(''));
const path = fc.array(name, { maxLength: 5 }).map((names) => names.join('/'));

describe('[R-8] the names of a path', () => {
  test.each([true, false])('fit as a regular expression says (case ignored: %s)', (ignoreCase) => {
    fc.assert(
      fc.property(fc.array(segment, { maxLength: 4 }), path, (segments, text) => {
        expect(namesMatcher(segments, { ignoreCase })(text)).toBe(expression(segments, ignoreCase).test(text));
      }),
      { numRuns: 5000 },
    );
  });

  const context = { cwd: '/project', home: '/home/me', realPath: (text: string) => text };

  test.each([
    ['stars in a name', '**/*a*a*a*a*a*a*b', `/project/${'a'.repeat(4000)}`],
    ['directories', '**/a/**/a/**/a/**/a/**/a/**/b', `/project/${'a/'.repeat(4000)}`],
    ['letters after a star', `*${'a'.repeat(900)}b`, `/project/${'a'.repeat(8000)}`],
  ])('are compared in a moment, whatever they are: %s', (_what, rule, text) => {
    const started = process.cpuUsage(); // not the clock: others may be using the machine
    expect(pathMatcher(rule, context, 'forbid')?.matches(text)).toBe(false);
    expect(pathMatcher(rule, context, 'forbid')?.mayMatch([{ any: 'text' }, '/x'])).toBeTypeOf('boolean');
    expect(process.cpuUsage(started).user / 1000).toBeLessThan(1000);
  });

  test('that are longer than any file has are forbidden, and not allowed', () => {
    const long = `/project/${'a/'.repeat(50_000)}`;
    expect(pathMatcher('**/x', context, 'forbid')?.matches(long)).toBe(true);
    expect(pathMatcher('**/a', context, 'allow')?.matches(long)).toBe(false);
  });

  test('a pattern that nobody would write is not understood, so that it forbids everything', () => {
    expect(pathMatcher(`${'*a'.repeat(600)}`, context, 'forbid')).toBeNull();
    expect(pathMatcher('**/'.repeat(20).concat('b'), context, 'forbid')?.mayMatch(['/project/', { any: 'text' }])).toBe(
      true,
    );
  });
});
