import { lineEnd, lineStart, nextCharacter, previousCharacter } from '../editor/boundaries.ts';
import { kindAt } from './word-motions.ts';

/** A part of the text, from the first character to behind the last one. */
export interface Range {
  from: number;
  to: number;
  isLinewise?: boolean;
}

/** What `iw`, `a"`, `i(` and the others mean at the caret; null where there is none. */
export function textObject(text: string, caret: number, key: string, count: number): Range | null {
  const isAround = key[0] === 'a';
  const what = key.slice(1);
  if (what === 'w' || what === 'W') return words(text, caret, count, { isAround, isBig: what === 'W' });
  if (what === 'p') return paragraph(text, caret, count, { isAround });
  if (`"'\``.includes(what)) return quoted(text, caret, what, { isAround });
  const [open, close] = BRACKETS[what] ?? ['', ''];
  return open === '' ? null : bracketed(text, caret, { open, close, count, isAround });
}

const BRACKETS: Readonly<Record<string, readonly [string, string]>> = {
  ...{ '(': ['(', ')'], ')': ['(', ')'], b: ['(', ')'] },
  ...{ '[': ['[', ']'], ']': ['[', ']'] },
  ...{ '{': ['{', '}'], '}': ['{', '}'], B: ['{', '}'] },
};

interface Run {
  from: number;
  to: number;
  kind: number;
}

/** The run of characters of one kind around a place, in its line. */
function runAt(text: string, at: number, isBig: boolean): Run {
  const size = { isBig };
  const [start, end] = [lineStart(text, at), lineEnd(text, at)];
  const kind = kindAt(text, at, size);
  let [from, to] = [at, nextCharacter(text, at)];
  while (kind !== 3 && from > start && kindAt(text, previousCharacter(text, from), size) === kind) {
    from = previousCharacter(text, from);
  }
  while (kind !== 3 && to < end && kindAt(text, to, size) === kind) to = nextCharacter(text, to);
  return { from, to: Math.min(to, Math.max(end, at)), kind };
}

function words(text: string, caret: number, count: number, how: { isAround: boolean; isBig: boolean }): Range | null {
  const end = lineEnd(text, caret);
  if (lineStart(text, caret) === end) return null;
  const first = runAt(text, Math.min(caret, previousCharacter(text, end)), how.isBig);
  let { from, to } = first;
  let last = first;
  // Inside, blanks count as a word of their own; around, a word takes the blanks behind it with it.
  for (let left = how.isAround ? count * 2 : count; left > 1; left--) {
    if (to >= end) break;
    const next = runAt(text, to, how.isBig);
    // At the end of `aw`, only blanks may follow a word, or a word the blanks.
    if (how.isAround && left === 2 && (next.kind === 0) === (last.kind === 0)) break;
    [to, last] = [next.to, next];
  }
  const hasBlanks = last.kind === 0 || first.kind === 0;
  if (how.isAround && !hasBlanks && from > lineStart(text, caret)) {
    const before = runAt(text, previousCharacter(text, from), how.isBig);
    if (before.kind === 0) from = before.from;
  }
  return { from, to };
}

/** Quotes of the line are pairs, from its beginning on; before the first pair, the next one is meant. */
function quoted(text: string, caret: number, quote: string, { isAround }: { isAround: boolean }): Range | null {
  const [start, end] = [lineStart(text, caret), lineEnd(text, caret)];
  const places: number[] = [];
  for (let at = start; at < end; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === quote) places.push(at);
  }
  for (let pair = 0; pair + 1 < places.length; pair += 2) {
    const [open = 0, close = 0] = [places[pair], places[pair + 1]];
    if (caret > close) continue;
    if (!isAround) return { from: open + 1, to: close };
    const [behind = ''] = /^[ \t]*/.exec(text.slice(close + 1, end)) ?? [];
    const [before = ''] = behind === '' ? (/[ \t]*$/.exec(text.slice(start, open)) ?? []) : [];
    return { from: open - before.length, to: close + 1 + behind.length };
  }
  return null;
}

function bracketed(
  text: string,
  caret: number,
  { open, close, count, isAround }: { open: string; close: string; count: number; isAround: boolean },
): Range | null {
  let from = text[caret] === open ? caret : enclosing(text, caret, { open, close });
  for (let left = count; left > 1 && from >= 0; left--) from = enclosing(text, from, { open, close });
  if (from < 0) return null;
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    if (text[at] === open) depth++;
    else if (text[at] === close) depth--;
    if (depth === 0) return isAround ? { from, to: at + 1 } : { from: from + 1, to: at };
  }
  return null;
}

/** The bracket that is open before a place; -1 without one. */
function enclosing(text: string, before: number, { open, close }: { open: string; close: string }): number {
  let depth = 0;
  for (let at = before - 1; at >= 0; at--) {
    if (text[at] === close) depth++;
    else if (text[at] === open && depth-- === 0) return at;
  }
  return -1;
}

/** Lines up to the next one that is of the other kind: empty, or not. */
function paragraph(text: string, caret: number, count: number, { isAround }: { isAround: boolean }): Range | null {
  const isBlank = (at: number) => text.slice(lineStart(text, at), lineEnd(text, at)).trim() === '';
  const blockEnd = (at: number) => {
    let end = lineEnd(text, at);
    while (end < text.length && isBlank(end + 1) === isBlank(at)) end = lineEnd(text, end + 1);
    return end;
  };
  let from = lineStart(text, caret);
  while (from > 0 && isBlank(from - 1) === isBlank(caret)) from = lineStart(text, from - 1);
  let to = blockEnd(caret);
  for (let left = isAround ? count * 2 : count; left > 1 && to < text.length; left--) to = blockEnd(to + 1);
  if (isAround && to >= text.length && from > 0 && !isBlank(caret)) {
    while (from > 0 && isBlank(from - 1)) from = lineStart(text, from - 1);
  }
  return { from, to, isLinewise: true };
}
