import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMask } from '../../../src/model/recording/mask.ts';

const masked = {
  places: { cwd: '/srv/app', results: '/srv/app/.heddle/results', dir1: '/other "dir"' },
  secrets: ['sk-secret-1', 'sk-secret-2\\"', 'none'],
};
const mask = createMask(masked);

const word = fc.constantFrom(
  ...Object.values(masked.places),
  ...masked.secrets,
  '/',
  'a',
  ' ',
  '"',
  '\\n',
  '\n',
  '-',
  '.',
);
const text = fc.array(word, { maxLength: 12 }).map((words) => words.join(''));

/** The text, cut at the given places. */
function cut(whole: string, at: number[]): string[] {
  const cuts = [...new Set(at.map((n) => n % (whole.length + 1)))].sort((a, b) => a - b);
  return [...cuts, whole.length].map((end, n) => whole.slice(cuts[n - 1] ?? 0, end));
}

describe('createMask', () => {
  it('hides the same, however a text is cut', () => {
    fc.assert(
      fc.property(
        text,
        fc.array(fc.nat(200), { maxLength: 8 }),
        fc.constantFrom('plain', 'json'),
        (whole, at, form) => {
          const pieces = cut(whole, at);
          expect(pieces.join('')).toBe(whole);
          const hidden = mask.hidePieces(pieces, form);
          expect(hidden.join('')).toBe(mask.hide(whole, form));
          expect(hidden).toHaveLength(pieces.length);
        },
      ),
    );
  });

  it('lets no secret through', () => {
    fc.assert(
      fc.property(text, (whole) => {
        for (const secret of ['sk-secret-1', 'sk-secret-2\\"']) expect(mask.hide(whole)).not.toContain(secret);
      }),
    );
  });

  it('shows the paths that it hid', () => {
    const paths = createMask({ places: masked.places, secrets: [] });
    fc.assert(
      fc.property(text, fc.constantFrom('plain', 'json'), (whole, form) => {
        expect(paths.show(paths.hide(whole, form), form)).toBe(whole);
      }),
    );
  });

  it.each([
    ['a path within another one', '/srv/app/.heddle/results/x', '{heddle:results}/x'],
    ['behind an escaped line feed', '{"command":"ls\\n/srv/app"}', '{"command":"ls\\n{heddle:cwd}"}'],
    ['not the end of another path', '/mnt/srv/app', '/mnt/srv/app'],
    ['not the beginning of another name', '/srv/apple /srv/app.bak /srv/app-2', '/srv/apple /srv/app.bak /srv/app-2'],
    ['not a secret that is too short to be one', 'none', 'none'],
  ])('%s', (_, before, after) => {
    expect(mask.hide(before)).toBe(after);
  });

  it('takes / for no place', () => {
    expect(createMask({ places: { cwd: '/' }, secrets: [] }).hide('/a/b')).toBe('/a/b');
  });
});
