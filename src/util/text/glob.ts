/**
 * A function that matches a path with a pattern: `*` and `?` within a name, `**` for any number of directories,
 * `[abc]`, `[!a-z]` and `{a,b}`. A pattern whose last name is plain also matches everything below it. Patterns may be
 * hostile: the time grows only with the lengths of pattern and path.
 */
export function globMatcher(pattern: string): (path: string) => boolean {
  const alternatives = expandBraces(pattern).map(compile);
  return (path) => {
    const names = path.split('/');
    return alternatives.some((segments) => segmentsFit(segments, names));
  };
}

/** Null means `**`. */
type Segment = readonly Token[] | null;
/** A set of characters, any one, or any number of them. */
type Token = { kind: 'set'; has(char: string): boolean } | { kind: 'one' } | { kind: 'many' };

/** More than any real pattern has; alternatives multiply. */
const MAX_ALTERNATIVES = 256;
const MAX_LENGTH = 2000;

function expandBraces(pattern: string): string[] {
  let found = [pattern];
  if (pattern.length > MAX_LENGTH) return found;
  for (;;) {
    const next = found.flatMap(expandFirst);
    if (next.length === found.length || next.length > MAX_ALTERNATIVES) return found;
    found = next;
  }
}

/** The alternatives of the first innermost braces. */
function expandFirst(pattern: string): string[] {
  const group = /\{([^{}]*,[^{}]*)\}/.exec(pattern);
  if (!group) return [pattern];
  const before = pattern.slice(0, group.index);
  const behind = pattern.slice(group.index + group[0].length);
  return (group[1] ?? '').split(',').map((choice) => before + choice + behind);
}

function compile(pattern: string): Segment[] {
  const names = pattern.replace(/^\.\//, '').replace(/\/$/, '').split('/');
  const segments = names.map((name): Segment => (name === '**' ? null : tokensOf(name)));
  const isPlain = !/[*?[]/.test(names.at(-1) ?? '');
  return isPlain ? [...segments, null] : segments;
}

function tokensOf(name: string): Token[] {
  const pieces = name.match(/\[!?\]?[^\]]*\]|\\.|./gsu) ?? [];
  return pieces.map((piece): Token => {
    if (piece === '*') return { kind: 'many' };
    if (piece === '?') return { kind: 'one' };
    if (piece.length > 2 && piece.startsWith('[')) return setOf(piece.slice(1, -1));
    const char = piece.length > 1 && piece.startsWith('\\') ? piece.slice(1) : piece;
    return { kind: 'set', has: (other) => other === char };
  });
}

function setOf(written: string): Token {
  const isNot = written.startsWith('!') || written.startsWith('^');
  const ranges = [...(isNot ? written.slice(1) : written).matchAll(/(.)-(.)|(.)/gsu)];
  const isIn = (char: string) => ranges.some(([, from, to, only]) => char === only || isBetween(char, from, to));
  return { kind: 'set', has: (char) => isIn(char) !== isNot };
}

function isBetween(char: string, from: string | undefined, to: string | undefined): boolean {
  return from !== undefined && to !== undefined && char >= from && char <= to;
}

function segmentsFit(segments: readonly Segment[], names: readonly string[]): boolean {
  return fits(segments, names, {
    isMany: (segment) => segment === null,
    isOne: (segment, name) => segment !== null && nameFits(segment, name),
  });
}

function nameFits(tokens: readonly Token[], name: string): boolean {
  return fits(tokens, [...name], {
    isMany: ({ kind }) => kind === 'many',
    isOne: (token, char) => token.kind === 'one' || (token.kind === 'set' && token.has(char)),
  });
}

interface Fitting<P, T> {
  /** Whether a part matches any number of items. */
  isMany(part: P): boolean;
  isOne(part: P, item: T): boolean;
}

/** Backtracks only to the last part that matches any number: earlier parts need no other match. */
function fits<P, T>(parts: readonly P[], items: readonly T[], { isMany, isOne }: Fitting<P, T>): boolean {
  let part = 0;
  let last: { part: number; item: number } | null = null;
  let item = 0;
  while (item < items.length) {
    const now = parts[part];
    if (now !== undefined && isMany(now)) {
      last = { part, item };
      part += 1;
    } else if (now !== undefined && isOne(now, items[item] as T)) {
      part += 1;
      item += 1;
    } else if (last) {
      last.item += 1;
      part = last.part + 1;
      item = last.item;
    } else return false;
  }
  return parts.slice(part).every(isMany);
}
