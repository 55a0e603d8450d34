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

/**
 * Whether some text fits both patterns, case aside. Patterns and words may be hostile, so the work is bounded: beyond
 * the bound the answer is yes, because only rules that forbid ask here.
 */
export function patternsMeet(a: readonly Part[], b: readonly Part[]): boolean {
  if (isText(a) && isText(b)) return textOf(a) === textOf(b);
  if (isText(a) && b.every(isTextOrAny)) return fitsText(b, textOf(a));
  if (isText(b) && a.every(isTextOrAny)) return fitsText(a, textOf(b));
  const left = tokensOf(a);
  const right = tokensOf(b);
  return left.length * right.length > MAX_STEPS || tokensMeet(left, right);
}

const MAX_STEPS = 500_000;

function isText(parts: readonly Part[]): parts is readonly string[] {
  return parts.every((part) => typeof part === 'string');
}

function isTextOrAny(part: Part): boolean {
  return typeof part === 'string' || part.any === 'text' || part.any === 'home';
}

function textOf(parts: readonly string[]): string {
  return parts.join('').toLowerCase();
}

function fitsText(pattern: readonly Part[], text: string): boolean {
  const letters = pattern.reduce((sum, part) => sum + (typeof part === 'string' ? part.length : 0), 0);
  if (letters > text.length) return false;
  return fitsPieces(
    piecesOf(pattern).map((piece) => piece.toLowerCase()),
    text,
  );
}

/**
 * Whether a text consists of these pieces with any text between them: the first place of each piece is as good as any
 * other, so the time grows only with the length of the text.
 */
export function fitsPieces([first = '', ...more]: readonly string[], text: string): boolean {
  const last = more.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first) || !text.endsWith(last)) return false;
  let at = first.length;
  for (const piece of more) {
    const found = text.indexOf(piece, at);
    if (found === -1) return false;
    at = found + piece.length;
  }
  return at + last.length <= text.length;
}

/** The texts between the gaps: one more than there are gaps. */
export function piecesOf(pattern: readonly Part[]): string[] {
  const pieces = [''];
  for (const part of pattern) {
    if (typeof part === 'string') pieces[pieces.length - 1] += part;
    else pieces.push('');
  }
  return pieces;
}

type Token = string | Gap;

/** Filled from the end: `row[j]` says whether the rest of `left` and the rest of `right` from j can be the same text. */
function tokensMeet(left: readonly Token[], right: readonly Token[]): boolean {
  let row = new Uint8Array(right.length + 1);
  let below = new Uint8Array(right.length + 1);
  for (let i = left.length; i >= 0; i--) {
    [row, below] = [below, row];
    for (let j = right.length; j >= 0; j--) {
      const further = { i: below[j] === 1, j: row[j + 1] === 1, both: below[j + 1] === 1 };
      row[j] = meetAt(left[i], right[j], further) ? 1 : 0;
    }
  }
  return row[0] === 1;
}

/** The answers for the states in which one token of the left, of the right, or of both is consumed. */
interface Further {
  i: boolean;
  j: boolean;
  both: boolean;
}

function meetAt(left: Token | undefined, right: Token | undefined, further: Further): boolean {
  if (left === undefined && right === undefined) return true;
  if (isRun(left) && (further.i || (further.j && fits(left, right)))) return true;
  if (isRun(right) && (further.j || (further.i && fits(right, left)))) return true;
  if (left === undefined || right === undefined || isRun(left) || isRun(right)) return false;
  return further.both && (fits(left, right) || fits(right, left));
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
