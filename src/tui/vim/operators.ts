import { atCharacter, lineEnd, lineStart, nextCharacter, previousCharacter } from '../editor/boundaries.ts';
import { type EditorState, spliced } from '../editor/editor.ts';
import type { VimCommand, VimText } from '../editor/vim-state.ts';
import { firstOfLine, type Moved, moveBy } from './motions.ts';
import { keepText } from './registers.ts';
import { type Range, textObject } from './text-objects.ts';
import { kindAt, wordEnd, wordEndFrom } from './word-motions.ts';

/** What an operator acts on; null: on nothing, and the command does nothing. */
export function rangeOf({ editor, vim }: VimText, { verb, target, count }: VimCommand): Range | null {
  const { text, caret } = editor;
  if (!target) return null;
  switch (target.kind) {
    case 'line':
      return linesFrom(text, caret, count ?? 1);
    case 'lines':
      return linesFrom(text, caret, Number(target.key));
    case 'characters':
      return { from: caret, to: Math.max(caret, atCharacter(text, caret + Number(target.key))) };
    case 'object':
      return textObject(text, caret, target.key, count ?? 1);
    case 'motion': {
      const isWord = target.key === 'w' || target.key === 'W';
      const size = { isBig: target.key === 'W' };
      if (isWord && verb === 'c' && kindAt(text, caret, size) !== 0) return restOfWords(text, caret, count ?? 1, size);
      const moved = moveBy(editor, target, count, vim.find);
      return moved && wayTo(text, caret, moved, { isWord });
    }
    default:
      return target.kind satisfies never;
  }
}

function linesFrom(text: string, caret: number, count: number): Range {
  let to = lineEnd(text, caret);
  for (let left = count; left > 1 && to < text.length; left--) to = lineEnd(text, to + 1);
  return { from: lineStart(text, caret), to, isLinewise: true };
}

/** `cw` does not take the blanks behind a word. */
function restOfWords(text: string, caret: number, count: number, size: { isBig: boolean }): Range {
  let to = wordEndFrom(text, caret, size);
  for (let left = count; left > 1; left--) to = nextCharacter(text, wordEnd(text, previousCharacter(text, to), size));
  return { from: caret, to };
}

/** The text between the caret and where a motion goes, as operators take it. */
function wayTo(text: string, caret: number, moved: Moved, { isWord }: { isWord: boolean }): Range | null {
  const [from, far] = [Math.min(caret, moved.to), Math.max(caret, moved.to)];
  if (moved.isLinewise) return { from: lineStart(text, from), to: lineEnd(text, far), isLinewise: true };
  const to = moved.isInclusive ? nextCharacter(text, far) : far;
  if (moved.isInclusive || !text.slice(from, to).includes('\n')) return from === to ? null : { from, to };
  // A word at the end of its line does not take the line's end with it.
  if (isWord) {
    const end = from + text.slice(from, to).replace(/\s*\n\s*$/, '').length;
    return end === from ? { from, to: lineEnd(text, from) } : { from, to: end };
  }
  // A motion that ends where a line begins stops before it; from the beginning of a line, it takes whole lines.
  if (text[to - 1] !== '\n') return { from, to };
  if (from <= firstOfLine(text, from)) return { from: lineStart(text, from), to: to - 1, isLinewise: true };
  return { from, to: to - 1 };
}

/** Runs an operator; `c` leaves the text ready for insert mode, which is the caller's. */
export function operate(state: VimText, operator: string, range: Range, register: string | null): VimText {
  const { editor } = state;
  const removed = editor.text.slice(range.from, range.to);
  const isLinewise = range.isLinewise === true;
  switch (operator) {
    case 'd':
    case 'c': {
      const kept = keepText(state, register, { text: removed, isLinewise });
      const isWhole = isLinewise && operator === 'd';
      return {
        ...kept,
        editor: isWhole ? withoutLines(kept.editor, range) : spliced(kept.editor, range.from, range.to, ''),
      };
    }
    case 'y': {
      const kept = keepText(state, register, { text: removed, isLinewise });
      const isThere = isLinewise && range.from <= lineStart(editor.text, editor.caret);
      const stays = isThere && range.from === lineStart(editor.text, editor.caret);
      return { ...kept, editor: at(kept.editor, stays ? editor.caret : range.from) };
    }
    case '>':
    case '<':
      return { ...state, editor: indented(editor, range, operator) };
    default:
      return { ...state, editor: at(spliced(editor, range.from, range.to, inCase(removed, operator)), range.from) };
  }
}

/** The editor with its caret elsewhere. */
export function at(editor: EditorState, caret: number): EditorState {
  return { ...editor, caret: Math.max(0, Math.min(caret, editor.text.length)), anchor: null, run: null, column: null };
}

/** Lines go with one of their ends. */
function withoutLines(editor: EditorState, { from, to }: Range): EditorState {
  const isLast = to >= editor.text.length;
  const start = isLast && from > 0 ? from - 1 : from;
  const next = spliced(editor, start, isLast ? to : to + 1, '');
  return at(next, firstOfLine(next.text, Math.min(start === from ? from : start, next.text.length)));
}

const INDENT = '  ';

function indented(editor: EditorState, { from, to }: Range, operator: '>' | '<'): EditorState {
  const [start, end] = [lineStart(editor.text, from), lineEnd(editor.text, Math.max(from, to - 1))];
  const lines = editor.text.slice(start, end).split('\n');
  const moved = lines.map((line) => {
    if (operator === '<') return line.replace(/^(?:\t| {1,2})/, '');
    return line === '' ? line : INDENT + line;
  });
  const next = spliced(editor, start, end, moved.join('\n'));
  return at(next, firstOfLine(next.text, start));
}

/** `g~`, `gu` and `gU`. */
export function inCase(text: string, operator: string): string {
  if (operator === 'gu') return text.toLowerCase();
  if (operator === 'gU') return text.toUpperCase();
  return Array.from(text, (each) => (each === each.toLowerCase() ? each.toUpperCase() : each.toLowerCase())).join('');
}
