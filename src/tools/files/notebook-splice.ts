import type { JsonObject } from '../../util/json.ts';
import { createPauses, type Pauses } from '../../util/pauses.ts';
import { jsonElements, type Span } from './json-spans.ts';

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
export async function spliceCells(
  text: string,
  { index, remove, cell }: CellSplice,
  pauses = createPauses(),
): Promise<string> {
  const list = await cellsIn(text, pauses);
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
async function cellsIn(text: string, pauses: Pauses): Promise<CellList> {
  const members = await jsonElements(text, text.indexOf('{'), pauses);
  // The last of several with one name is the one that JSON.parse takes.
  const member = members.elements.findLast(({ start }) => /^"cells"\s*:/.test(text.slice(start, start + 100)));
  const start = member ? text.indexOf('[', member.start) : -1;
  if (!member || start === -1) throw new Error('The notebook has no list of cells');
  return { start, end: member.end, cells: (await jsonElements(text, start, pauses)).elements };
}
