import type { Gap, Part, Word } from './shell-script.ts';

/** Whether a word could name this program, by its base name: `/bin/rm` is `rm`. */
export function mayNameProgram(word: Word, wanted: string): boolean {
  const name = programName(wanted);
  if (typeof word === 'string') return programName(word) === name;
  return patternsMeet(word.parts, [name]) || patternsMeet(word.parts, [{ any: 'text' }, `/${name}`]);
}

export function programName(word: string): string {
  return word.slice(word.lastIndexOf('/') + 1).toLowerCase();
}

/** Whether some text fits both patterns, case aside. */
export function patternsMeet(a: readonly Part[], b: readonly Part[]): boolean {
  const left = tokensOf(a);
  const right = tokensOf(b);
  // `meets[j]`: whether the rest of `left` and the rest of `right` from j can be the same text.
  let meets: boolean[] = [];
  for (let i = left.length; i >= 0; i--) {
    const below = meets;
    meets = [];
    for (let j = right.length; j >= 0; j--)
      meets[j] = meetAt(left[i], right[j], { i: below[j], j: meets[j + 1], both: below[j + 1] });
  }
  return meets[0] === true;
}

type Token = string | Gap;

/** The answers for the states in which one token of the left, of the right, or of both is consumed. */
interface Further {
  i: boolean | undefined;
  j: boolean | undefined;
  both: boolean | undefined;
}

function meetAt(left: Token | undefined, right: Token | undefined, further: Further): boolean {
  if (left === undefined && right === undefined) return true;
  if (isRun(left) && (further.i || (further.j && fits(left, right)))) return true;
  if (isRun(right) && (further.j || (further.i && fits(right, left)))) return true;
  if (left === undefined || right === undefined || isRun(left) || isRun(right)) return false;
  return further.both === true && (fits(left, right) || fits(right, left));
}

function isRun(token: Token | undefined): token is Gap {
  return typeof token === 'object' && token.any !== 'char';
}

/** Whether a gap or a character can consume the other token. */
function fits(taker: Token, taken: Token | undefined): boolean {
  if (taken === undefined) return false;
  if (typeof taker === 'string') return taker === taken;
  return taken !== '/' || taker.any === 'text' || taker.any === 'home';
}

function tokensOf(parts: readonly Part[]): Token[] {
  return parts.flatMap<Token>((part) => (typeof part === 'string' ? [...part.toLowerCase()] : [part]));
}
