/**
 * Whether the names of a path match the segments of a rule: `*` and `?` within a name, `**` for any number of names,
 * and everything below a match. Rules and paths may come from untrusted authors, so the time grows only with their
 * lengths, which a regular expression does not guarantee.
 */
export function namesMatcher(segments: readonly string[], { ignoreCase }: Casing): (path: string) => boolean {
  const parts: Part[] = [...segmentsOf(segments).map((segment) => partOf(segment, ignoreCase)), ANY_NAMES];
  const isPlain = segments.every((segment) => PLAIN.test(segment));
  return (path) => {
    const isSame = ignoreCase && !(isPlain && PLAIN.test(path)) ? sameFolded : same;
    return fitsNames(parts, (ignoreCase ? path.toLowerCase() : path).split('/'), isSame);
  };
}

interface Casing {
  ignoreCase: boolean;
}

/** A literal name, one to be compared letter by letter, or any number of names. */
type Part = { readonly name: string } | Wild | typeof ANY_NAMES;
/** A name with a single star also has its prefix and suffix: comparing those is several times as fast. */
type Wild = { readonly letters: readonly Letter[]; readonly ends?: readonly [string, string] };
type Letter = { readonly is: string } | typeof ONE | typeof ANY;
type IsSame = (a: string, b: string) => boolean;

const ANY_NAMES = 'any names';
const ONE = 'one letter';
const ANY = 'any letters';

/** For these letters the comparison in lower case is enough. */
const PLAIN = /^[ -~]*$/;

const same: IsSame = (a, b) => a === b;
/** Upper case last: in lower case some letters depend on their neighbours. */
const sameFolded: IsSame = (a, b) => a === b || a.toLowerCase().toUpperCase() === b.toLowerCase().toUpperCase();

/** `**` as a part of a longer name acts like `*`, not as a segment of its own. */
function segmentsOf(segments: readonly string[]): string[] {
  const single = segments.filter((segment, at) => segment !== '**' || segments[at - 1] !== '**');
  return single.at(-1) === '**' && single.length > 1 ? [...single.slice(0, -1), '*', '**'] : single;
}

function partOf(segment: string, ignoreCase: boolean): Part {
  if (segment === '**') return ANY_NAMES;
  const written = ignoreCase ? segment.toLowerCase() : segment;
  if (!/[*?]/.test(segment)) return { name: written };
  const letters = [...written.replaceAll(/\*+/g, '*')].map((char): Letter => {
    if (char === '*') return ANY;
    return char === '?' ? ONE : { is: char };
  });
  const [start = '', end = '', ...more] = written.split(/\*+/);
  return more.length > 0 || segment.includes('?') ? { letters } : { letters, ends: [start, end] };
}

function fitsNames(parts: readonly Part[], names: readonly string[], isSame: IsSame): boolean {
  return fits(parts.length, names.length, {
    isMany: (part) => parts[part] === ANY_NAMES,
    isOne: (part, at) => fitsName(parts[part], names[at] ?? '', isSame),
  });
}

function fitsName(part: Part | undefined, name: string, isSame: IsSame): boolean {
  if (part === undefined || part === ANY_NAMES) return false;
  if ('name' in part) return isSame(part.name, name);
  const { letters, ends } = part;
  if (ends && isSame === same) {
    const [start, end] = ends;
    return name.length >= start.length + end.length && name.startsWith(start) && name.endsWith(end);
  }
  const chars = [...name];
  return fits(letters.length, chars.length, {
    isMany: (letter) => letters[letter] === ANY,
    isOne: (letter, at) => fitsLetter(letters[letter], chars[at] ?? '', isSame),
  });
}

function fitsLetter(letter: Letter | undefined, char: string, isSame: IsSame): boolean {
  if (letter === ONE) return true;
  return typeof letter === 'object' && isSame(letter.is, char);
}

interface Fitting {
  /** Whether a part stands for any number of items. */
  isMany(part: number): boolean;
  isOne(part: number, item: number): boolean;
}

/** Backtracks only to the last part that takes any number: matches before it need not be tried again. */
function fits(parts: number, items: number, { isMany, isOne }: Fitting): boolean {
  let part = 0;
  let item = 0;
  let many = -1;
  let taken = 0;
  while (item < items) {
    if (part < parts && isMany(part)) {
      many = part++;
      taken = item;
    } else if (part < parts && isOne(part, item)) {
      part++;
      item++;
    } else if (many !== -1) {
      part = many + 1;
      item = ++taken;
    } else return false;
  }
  while (part < parts && isMany(part)) part++;
  return part === parts;
}
