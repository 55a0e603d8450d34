import { lineEnd, lineStart, nextCharacter, previousCharacter } from '../editor/boundaries.ts';
import type { VimState, VimTarget } from '../editor/vim-state.ts';
import { wordBack, wordEnd, wordEndBack, wordForward } from './word-motions.ts';

/** Where a motion goes, and how an operator takes the way. */
export interface Moved {
  to: number;
  /** The character at the far end belongs to it. */
  isInclusive?: boolean;
  isLinewise?: boolean;
}

/** Null where it leads nowhere: then an operator does nothing. */
export function moveBy(
  { text, caret }: { text: string; caret: number },
  target: VimTarget,
  count: number | null,
  find: VimState['find'],
): Moved | null {
  const { key } = target;
  if (target.character !== undefined) return findMove(text, caret, { key, character: target.character }, count ?? 1);
  if (key === ';' || key === ',') {
    if (!find) return null;
    const again = key === ';' ? find : { ...find, key: turned(find.key) };
    return findMove(text, caret, again, count ?? 1, { isAgain: true });
  }
  const move = MOTIONS[key];
  return move ? move(text, caret, count) : null;
}

type Motion = (text: string, caret: number, count: number | null) => Moved | null;

const SMALL = { isBig: false };
const BIG = { isBig: true };

const MOTIONS: Readonly<Record<string, Motion>> = {
  h: (text, caret, count) => {
    const least = lineStart(text, caret);
    return changedFrom(
      caret,
      times(count, caret, (at) => Math.max(least, previousCharacter(text, at))),
    );
  },
  l: (text, caret, count) => {
    const most = lineEnd(text, caret);
    return changedFrom(
      caret,
      times(count, caret, (at) => Math.min(most, nextCharacter(text, at))),
    );
  },
  j: (text, caret, count) => lineMove(text, caret, count ?? 1),
  k: (text, caret, count) => lineMove(text, caret, -(count ?? 1)),
  w: (text, caret, count) => ({ to: times(count, caret, (at) => wordForward(text, at, SMALL)) }),
  W: (text, caret, count) => ({ to: times(count, caret, (at) => wordForward(text, at, BIG)) }),
  b: (text, caret, count) => ({ to: times(count, caret, (at) => wordBack(text, at, SMALL)) }),
  B: (text, caret, count) => ({ to: times(count, caret, (at) => wordBack(text, at, BIG)) }),
  e: (text, caret, count) => ({ to: times(count, caret, (at) => wordEnd(text, at, SMALL)), isInclusive: true }),
  E: (text, caret, count) => ({ to: times(count, caret, (at) => wordEnd(text, at, BIG)), isInclusive: true }),
  ge: (text, caret, count) => ({ to: times(count, caret, (at) => wordEndBack(text, at, SMALL)), isInclusive: true }),
  gE: (text, caret, count) => ({ to: times(count, caret, (at) => wordEndBack(text, at, BIG)), isInclusive: true }),
  '0': (text, caret) => ({ to: lineStart(text, caret) }),
  '^': (text, caret) => ({ to: firstOfLine(text, caret) }),
  $: (text, caret, count) => {
    const line = lineMove(text, caret, (count ?? 1) - 1);
    return line && { to: lineEnd(text, line.to) };
  },
  gg: (text, _caret, count) => ({ to: firstOfLine(text, startOfLine(text, count ?? 1)), isLinewise: true }),
  G: (text, _caret, count) => ({ to: firstOfLine(text, startOfLine(text, count)), isLinewise: true }),
  '}': (text, caret, count) => ({ to: times(count, caret, (at) => paragraphForward(text, at)) }),
  '{': (text, caret, count) => ({ to: times(count, caret, (at) => paragraphBack(text, at)) }),
  '%': matching,
};

/** Repeats the step, and stops where it leads nowhere. */
function times(count: number | null, from: number, step: (at: number) => number): number {
  let at = from;
  for (let left = count ?? 1; left > 0; left--) {
    const next = step(at);
    if (next === at) break;
    at = next;
  }
  return at;
}

const changedFrom = (from: number, to: number): Moved | null => (from === to ? null : { to });

/** The first character of the line that is no blank. */
export function firstOfLine(text: string, at: number): number {
  const start = lineStart(text, at);
  const [blanks = ''] = /^[ \t]*/.exec(text.slice(start, lineEnd(text, at))) ?? [];
  return start + blanks.length;
}

/** By lines of the text, in the same column as far as the line has it. */
function lineMove(text: string, caret: number, by: number): Moved | null {
  const column = caret - lineStart(text, caret);
  let at = caret;
  for (let left = Math.abs(by); left > 0; left--) {
    const next = by > 0 ? lineEnd(text, at) + 1 : lineStart(text, at) - 1;
    if (next < 0 || next > text.length) return null;
    at = next;
  }
  const start = lineStart(text, at);
  return { to: Math.min(lineEnd(text, at), start + column), isLinewise: true };
}

/** Where the line of that number begins; the last one without a number. */
function startOfLine(text: string, line: number | null): number {
  if (line === null) return lineStart(text, text.length);
  let at = 0;
  for (let left = line - 1; left > 0; left--) {
    const end = text.indexOf('\n', at);
    if (end < 0) break;
    at = end + 1;
  }
  return at;
}

function paragraphForward(text: string, from: number): number {
  const rest = text.slice(from);
  const [before = ''] = /^\n*/.exec(rest) ?? [];
  const found = rest.indexOf('\n\n', before.length);
  return found < 0 ? text.length : from + found + 1;
}

function paragraphBack(text: string, from: number): number {
  const before = text.slice(0, from).replace(/\n+$/, '');
  const found = before.lastIndexOf('\n\n');
  return found < 0 ? 0 : found + 1;
}

const PAIRS = '()[]{}';

/** The bracket that belongs to the one at the caret, or to the next one in the line. */
function matching(text: string, caret: number): Moved | null {
  const end = lineEnd(text, caret);
  let at = caret;
  while (at < end && !PAIRS.includes(text[at] ?? '')) at++;
  const open = PAIRS.indexOf(text[at] ?? '');
  if (at >= end || open < 0) return null;
  const isForward = open % 2 === 0;
  const other = PAIRS[isForward ? open + 1 : open - 1];
  let depth = 0;
  for (let place = at; place >= 0 && place < text.length; place += isForward ? 1 : -1) {
    if (text[place] === text[at]) depth++;
    else if (text[place] === other) depth--;
    if (depth === 0) return { to: place, isInclusive: true };
  }
  return null;
}

const turned = (key: string) => (key === key.toLowerCase() ? key.toUpperCase() : key.toLowerCase());

/** f, F, t and T: only in the line. Again, t does not stay where it stands. */
function findMove(
  text: string,
  caret: number,
  { key, character }: { key: string; character: string },
  count: number,
  { isAgain = false }: { isAgain?: boolean } = {},
): Moved | null {
  const [start, end] = [lineStart(text, caret), lineEnd(text, caret)];
  const isForward = key === 'f' || key === 't';
  const isBefore = key === 't' || key === 'T';
  let at = caret;
  if (isAgain && isBefore) at = isForward ? nextCharacter(text, at) : previousCharacter(text, at);
  for (let left = count; left > 0; left--) {
    at = isForward ? text.indexOf(character, at + 1) : at === 0 ? -1 : text.lastIndexOf(character, at - 1);
    if (at < start || at >= end) return null;
  }
  if (!isForward) return { to: isBefore ? nextCharacter(text, at) : at };
  return { to: isBefore ? previousCharacter(text, at) : at, isInclusive: true };
}
