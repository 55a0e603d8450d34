import { isMark } from '../editor/attachments.ts';
import { nextCharacter, previousCharacter } from '../editor/boundaries.ts';

/** Blanks are 0; letters, digits and `_` are one kind, other signs another. `isBig`: all but blanks are one kind. */
export function kindAt(text: string, at: number, { isBig }: { isBig: boolean }): 0 | 1 | 2 | 3 {
  const character = text.slice(at, nextCharacter(text, at));
  if (/^\s*$/.test(character)) return 0;
  if (isMark(character)) return 3;
  return isBig || /^[\p{L}\p{N}\p{M}_]/u.test(character) ? 1 : 2;
}

type Size = { isBig: boolean };

/** `w`: the beginning of the next word. An empty line is a word. */
export function wordForward(text: string, from: number, size: Size): number {
  let at = wordEndFrom(text, from, size);
  while (at < text.length && kindAt(text, at, size) === 0) {
    at = nextCharacter(text, at);
    if (isEmptyLine(text, at)) break;
  }
  return at;
}

/** Behind the word that `from` is in; `from` itself among blanks. */
export function wordEndFrom(text: string, from: number, size: Size): number {
  const kind = kindAt(text, from, size);
  let at = from;
  if (kind === 0) return at;
  do at = nextCharacter(text, at);
  while (at < text.length && kindAt(text, at, size) === kind && kind !== 3);
  return at;
}

/** `e`: the last character of the next word. */
export function wordEnd(text: string, from: number, size: Size): number {
  let at = nextCharacter(text, from);
  while (at < text.length && kindAt(text, at, size) === 0) at = nextCharacter(text, at);
  if (at >= text.length) return Math.max(from, previousCharacter(text, text.length));
  return previousCharacter(text, wordEndFrom(text, at, size));
}

/** `b`: the beginning of the word before. */
export function wordBack(text: string, from: number, size: Size): number {
  let at = from;
  do at = previousCharacter(text, at);
  while (at > 0 && kindAt(text, at, size) === 0 && !isEmptyLine(text, at));
  return wordStart(text, at, size);
}

/** The beginning of the word that `from` is in. */
export function wordStart(text: string, from: number, size: Size): number {
  const kind = kindAt(text, from, size);
  let at = from;
  if (kind === 0 || kind === 3) return at;
  while (at > 0 && kindAt(text, previousCharacter(text, at), size) === kind) at = previousCharacter(text, at);
  return at;
}

/** `ge`: the last character of the word before. */
export function wordEndBack(text: string, from: number, size: Size): number {
  let at = wordStart(text, from, size);
  if (at === 0) return kindAt(text, 0, size) === 0 || from === 0 ? 0 : at;
  do at = previousCharacter(text, at);
  while (at > 0 && kindAt(text, at, size) === 0 && !isEmptyLine(text, at));
  return at;
}

function isEmptyLine(text: string, at: number): boolean {
  return text[at] === '\n' && (at === 0 || text[at - 1] === '\n');
}
