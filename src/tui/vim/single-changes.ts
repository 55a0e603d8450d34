import { lineEnd, lineStart, nextCharacter, previousCharacter } from '../editor/boundaries.ts';
import { type EditorState, spliced } from '../editor/editor.ts';
import type { Register } from '../editor/vim-state.ts';
import { firstOfLine } from './motions.ts';
import { at, inCase } from './operators.ts';

/** A put text may be so long, whatever the count. */
const LONGEST_PUT = 200_000;

/** `p` and `P`: behind the caret or before it, below the line or above it. */
export function put(editor: EditorState, { text, isLinewise }: Register, verb: string, count: number): EditorState {
  const { text: all, caret } = editor;
  const most = Math.max(1, Math.floor(LONGEST_PUT / Math.max(1, text.length)));
  const copies = Array.from({ length: Math.min(count, most) }, () => text);
  if (isLinewise) {
    const lines = copies.join('\n');
    if (verb === 'P') {
      const start = lineStart(all, caret);
      return at(spliced(editor, start, start, `${lines}\n`), firstOfLine(`${all.slice(0, start)}${lines}`, start));
    }
    const end = lineEnd(all, caret);
    const next = spliced(editor, end, end, `\n${lines}`);
    return at(next, firstOfLine(next.text, end + 1));
  }
  const isEmpty = lineStart(all, caret) === lineEnd(all, caret);
  const where = verb === 'P' || isEmpty ? caret : nextCharacter(all, caret);
  const next = spliced(editor, where, where, copies.join(''));
  return at(next, text.includes('\n') ? where : Math.max(where, previousCharacter(next.text, next.caret)));
}

/** `J`: lines with one blank between them. */
export function joinLines(editor: EditorState, count: number): EditorState {
  let next = editor;
  for (let left = Math.max(1, count - 1); left > 0; left--) {
    const end = lineEnd(next.text, next.caret);
    if (end >= next.text.length) break;
    const behind = firstOfLine(next.text, end + 1);
    const needsBlank =
      end > lineStart(next.text, end) &&
      !/\s/.test(next.text[end - 1] ?? '') &&
      !/[)\n]|^$/.test(next.text[behind] ?? '');
    next = at(spliced(next, end, behind, needsBlank ? ' ' : ''), end);
  }
  return next;
}

/** `r`: each of so many characters; none where the line has fewer. */
export function replaceCharacters(editor: EditorState, character: string, count: number): EditorState {
  const { text, caret } = editor;
  const to = forward(text, caret, count);
  if (to === null) return editor;
  const next = spliced(editor, caret, to, character.repeat(count));
  return at(next, previousCharacter(next.text, caret + character.length * count));
}

/** `~`: as many characters as the line has. */
export function turnCase(editor: EditorState, count: number): EditorState {
  const { text, caret } = editor;
  let to = caret;
  for (let left = count; left > 0 && to < lineEnd(text, caret); left--) to = nextCharacter(text, to);
  const turned = inCase(text.slice(caret, to), 'g~');
  return to === caret ? editor : at(spliced(editor, caret, to, turned), caret + turned.length);
}

/** Behind so many characters of the line; null where it has fewer. */
function forward(text: string, from: number, count: number): number | null {
  const end = lineEnd(text, from);
  let to = from;
  for (let left = count; left > 0; left--) {
    if (to >= end) return null;
    to = nextCharacter(text, to);
  }
  return to;
}
