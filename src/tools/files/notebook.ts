import { isObject, type JsonObject, stringField } from '../../util/json.ts';
import { messageOf } from '../../util/message-of.ts';
import { createPauses, mapWithPauses, type Pauses } from '../../util/pauses.ts';
import { ToolError } from '../tool.ts';
import { type JsonSpan, jsonElements } from './json-spans.ts';

/** A Jupyter notebook, read loosely: unknown fields stay in `json`. */
export interface Notebook {
  json: JsonObject;
  cells: NotebookCell[];
  /** The language of its code: "python". */
  language: string;
  /** True when its format gives every cell an id (nbformat 4.5). */
  hasIds: boolean;
}

export type CellType = 'code' | 'markdown' | 'raw';

export interface NotebookCell {
  /** Its own id, or `cell-N` by its index, starting at 0. */
  id: string;
  type: CellType;
  source: string;
  json: JsonObject;
}

/** Throws a ToolError that says why the text is not a notebook. */
export async function parseNotebook(path: string, text: string): Promise<Notebook> {
  const json = text.length > LARGE ? await parsePieces(path, text) : parseJson(path, text);
  if (!isObject(json) || !Array.isArray(json.cells) || !json.cells.every(isObject)) {
    throw new ToolError(`${path} is not a notebook that can be read: it has no list of cells (nbformat 4). ${AS_TEXT}`);
  }
  const metadata = isObject(json.metadata) ? json.metadata : {};
  const { kernelspec, language_info } = metadata;
  const language = stringField(kernelspec, 'language') || stringField(language_info, 'name') || 'python';
  return { json, cells: json.cells.map(toCell), language, hasIds: givesIds(json) };
}

/** The index of the cell with this id or with the name `cell-N`; -1 when there is no such cell. */
export function findCell({ cells }: Notebook, id: string): number {
  const byId = cells.findIndex((cell) => cell.json.id === id);
  if (byId !== -1) return byId;
  const [, number] = /^cell-(\d{1,9})$/.exec(id) ?? [];
  const index = number === undefined ? -1 : Number(number);
  return index < cells.length ? index : -1;
}

/** A text of a notebook: one string, or a list of lines. */
export function joinText(value: unknown): string {
  if (typeof value === 'string') return value;
  return Array.isArray(value) ? value.filter((line) => typeof line === 'string').join('') : '';
}

const AS_TEXT = 'With offset and limit it is read as plain text.';

/** A text that JSON.parse takes too long for, while everything else waits. */
const LARGE = 500_000;
/** The most values in one piece, and the deepest nesting; real notebooks stay far below. */
const MAX_VALUES = 200_000;
const MAX_DEPTH = 500;

/** The same value as `parseJson`, parsed cell by cell with pauses in between. */
async function parsePieces(path: string, text: string): Promise<unknown> {
  const pauses = createPauses();
  const open = text.search(/\S/);
  if (text[open] !== '{') return parseJson(path, text.slice(0, LARGE)); // not a notebook, or broken: the start tells
  const whole = await jsonElements(text, open, pauses);
  if (whole.end === -1 || text.slice(whole.end).trim() !== '') throw broken(path, 'it does not end where it should');
  const entries: [string, unknown][] = [];
  for (const member of whole.elements) {
    const [start, written] =
      /^("(?:[^"\\]|\\.){0,200}")\s*:\s*/.exec(text.slice(member.start, member.start + 1000)) ?? [];
    if (start === undefined || written === undefined) throw broken(path, 'a member of it has no name');
    const name = String(parseJson(path, written));
    const at = member.start + start.length;
    const isCells = name === 'cells' && text[at] === '[';
    const value = isCells ? await parseItems(path, text, at, pauses) : parsePiece(path, text, { ...member, start: at });
    entries.push([name, value]);
  }
  return Object.fromEntries(entries);
}

async function parseItems(path: string, text: string, open: number, pauses: Pauses): Promise<unknown[]> {
  const { elements, end } = await jsonElements(text, open, pauses);
  if (end === -1) throw broken(path, 'its list of cells has no end');
  return mapWithPauses(elements, pauses, (element) => parsePiece(path, text, element));
}

function parsePiece(path: string, text: string, { start, end, values, depth }: JsonSpan): unknown {
  if (values > MAX_VALUES || depth > MAX_DEPTH) {
    throw new ToolError(`${path} holds more in one cell than a notebook does. Use \`jq\` to get at it.`);
  }
  return parseJson(path, text.slice(start, end));
}

function parseJson(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw broken(path, messageOf(error));
  }
}

function broken(path: string, why: string): ToolError {
  return new ToolError(`${path} is not a notebook: its JSON is broken (${why}). ${AS_TEXT}`);
}

function toCell(json: JsonObject, index: number): NotebookCell {
  const id = stringField(json, 'id') || `cell-${index}`;
  const type = json.cell_type === 'code' || json.cell_type === 'raw' ? json.cell_type : 'markdown';
  return { id, type, source: joinText(json.source), json };
}

function givesIds({ nbformat, nbformat_minor }: JsonObject): boolean {
  const [major, minor] = [Number(nbformat), Number(nbformat_minor)];
  return major > 4 || (major === 4 && minor >= 5);
}
