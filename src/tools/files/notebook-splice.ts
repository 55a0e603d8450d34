import type { JsonObject } from '../../util/json.ts';

/** A change of the list of cells: `cell` replaces `remove` cells, starting at `index`. */
export interface CellSplice {
  index: number;
  remove: 0 | 1;
  cell?: JsonObject;
}

/**
 * The text of a notebook with one cell changed. Everything else keeps its bytes: indentation, the order of keys, how
 * numbers and letters are written, the last line break. `text` must be JSON with a list of `cells`.
 */
export function spliceCells(text: string, { index, remove, cell }: CellSplice): string {
  const list = cellsIn(text);
  const added = cell && render(cell, text, list);
  const [before, at, after] = [list.cells[index - 1], list.cells[index], list.cells[index + 1]];
  if (remove === 1 && at) {
    if (added !== undefined) return replace(text, at, added);
    if (after) return replace(text, { start: at.start, end: after.start }, '');
    if (before) return replace(text, { start: before.end, end: at.end }, '');
    return replace(text, list, '[]');
  }
  if (added === undefined) return text;
  const gap = gapOf(text, list);
  if (before) return replace(text, { start: before.end, end: before.end }, `,${gap}${added}`);
  if (at) return replace(text, { start: at.start, end: at.start }, `${added},${gap}`);
  return replace(text, list, `[${gap}${added}${gap.slice(0, gap.length - indentOf(text).length)}]`);
}

interface Span {
  start: number;
  end: number;
}

interface CellList extends Span {
  cells: Span[];
}

function replace(text: string, { start, end }: Span, part: string): string {
  return text.slice(0, start) + part + text.slice(end);
}

/** The text before each cell: a line break and its indentation, or nothing in a file without line breaks. */
function gapOf(text: string, { start, cells: [first] }: CellList): string {
  if (first) return text.slice(start + 1, first.start);
  const indent = indentOf(text);
  return indent === '' ? '' : lineBreakOf(text) + indent + indent;
}

/** The cell in the style of the file, two levels deep. */
function render(cell: JsonObject, text: string, list: CellList): string {
  const indent = indentOf(text);
  if (indent === '') return JSON.stringify(cell);
  const gap = gapOf(text, list);
  const outer = gap.slice(gap.lastIndexOf('\n') + 1);
  return JSON.stringify(cell, null, indent).replaceAll('\n', lineBreakOf(text) + outer);
}

/** The indentation of one level; empty when everything is on one line. */
function indentOf(text: string): string {
  return /^\s*\{\r?\n([ \t]+)/.exec(text)?.[1] ?? '';
}

function lineBreakOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}

/**
 * The positions of the list of cells and of each cell. The text is known to be JSON, so only its structure is checked.
 */
function cellsIn(text: string): CellList {
  const members = elementsOf(text, text.indexOf('{'));
  // The last of several with one name is the one that JSON.parse takes.
  const member = members.findLast(({ start }) => /^"cells"\s*:/.test(text.slice(start, start + 100)));
  const start = member ? text.indexOf('[', member.start) : -1;
  if (!member || start === -1) throw new Error('The notebook has no list of cells');
  return { start, end: member.end, cells: elementsOf(text, start) };
}

/** The members of the object or the items of the list that begins at `open`, without white space around them. */
function elementsOf(text: string, open: number): Span[] {
  const elements: Span[] = [];
  let start = open + 1;
  let depth = 0;
  for (let at = open; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === BRACE || code === BRACKET) depth++;
    else if (code === END_BRACE || code === END_BRACKET) depth--;
    const isEnd = depth === 0;
    if (!isEnd && !(code === COMMA && depth === 1)) continue;
    const element = trimmed(text, start, at);
    if (element.end > element.start) elements.push(element);
    if (isEnd) return elements;
    start = at + 1;
  }
  return elements;
}

/** By numbers: a notebook with pictures has millions of letters. */
const [QUOTE, BRACE, BRACKET, END_BRACE, END_BRACKET, COMMA, ESCAPE] = [...'"{[}],\\'].map((c) => c.charCodeAt(0));

function endOfString(text: string, quote: number): number {
  let at = quote + 1;
  for (let code = text.charCodeAt(at); at < text.length && code !== QUOTE; code = text.charCodeAt(at)) {
    at += code === ESCAPE ? 2 : 1;
  }
  return at;
}

function trimmed(text: string, start: number, end: number): Span {
  const part = text.slice(start, end);
  return { start: start + (part.length - part.trimStart().length), end: end - (part.length - part.trimEnd().length) };
}
