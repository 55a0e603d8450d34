import { isObject, type JsonObject, stringField } from '../../util/json.ts';
import { messageOf } from '../../util/message-of.ts';
import { ToolError } from '../tool.ts';

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
export function parseNotebook(path: string, text: string): Notebook {
  const json = parseJson(path, text);
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

function parseJson(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ToolError(`${path} is not a notebook: its JSON is broken (${messageOf(error)}). ${AS_TEXT}`);
  }
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
