import type { JsonObject } from '../../util/json.ts';
import type { NotebookEditOutput } from '../../wire/tools/tool-outputs.ts';
import { boundField } from '../bounded-field.ts';
import { type InputOf, objectInput, oneOf, optional, string, withDefault } from '../input-schema.ts';
import { refusal, type Tool, type ToolContext, type ToolOutput } from '../tool.ts';
import { type CellType, findCell, type Notebook, type NotebookCell, parseNotebook } from './notebook.ts';
import { type CellSplice, spliceCells } from './notebook-splice.ts';
import { markBytesSeen, readUnchanged } from './seen-files.ts';
import { decodeForEditing, encodeText } from './text-file.ts';

const input = objectInput({
  notebook_path: string('Absolute path of the notebook (.ipynb)'),
  cell_id: optional(string('As Read names it')),
  new_source: string(''),
  cell_type: optional(oneOf(['code', 'markdown'], '')),
  edit_mode: withDefault(oneOf(['replace', 'insert', 'delete'], ''), 'replace'),
});

type NotebookEditInput = InputOf<typeof input>;

export const notebookEditTool: Tool<NotebookEditInput> = {
  name: 'NotebookEdit',
  description: `Changes one cell of a Jupyter notebook.

- Read the notebook first; it names the cells.
- replace (default) gives a cell a new source and removes its outputs. insert adds one after cell_id, or at the start without it, and needs cell_type. delete removes it.`,
  input,
  access: ({ notebook_path }, workspace) => ({ kind: 'edit', paths: [workspace.resolve(notebook_path)] }),
  isConcurrencySafe: () => false,
  run: runNotebookEdit,
};

async function runNotebookEdit(edit: NotebookEditInput, context: ToolContext): Promise<ToolOutput> {
  const path = context.workspace.resolve(edit.notebook_path);
  if (!path.toLowerCase().endsWith('.ipynb')) throw refusal(`${path} is not a notebook (.ipynb). Use Edit.`);
  const stat = await context.workspace.stat(path);
  if (!stat) throw refusal(`${path} does not exist.`);
  const { bytes, whole } = await readUnchanged(path, stat, context);
  const { text, format } = decodeForEditing(path, bytes);
  const notebook = await parseNotebook(path, text);

  const change = planChange(notebook, edit, () => context.runtime.ids.uuid());
  const updated = await spliceCells(text, change.splice);
  const written = encodeText(updated, format);
  await context.workspace.writeFile(path, written);
  markBytesSeen(path, written, context, { whole });
  return {
    content: `${DONE[edit.edit_mode]} cell ${change.id} of ${path}.`,
    data: {
      new_source: boundField(edit.new_source),
      cell_id: change.id,
      cell_type: change.type,
      language: notebook.language,
      edit_mode: edit.edit_mode,
      error: '',
      notebook_path: path,
      original_file: boundField(text),
      updated_file: boundField(updated),
    } satisfies NotebookEditOutput,
  };
}

const DONE = { replace: 'Replaced', insert: 'Inserted', delete: 'Deleted' };

interface Change {
  splice: CellSplice;
  /** The id of the cell that was changed, added or removed. */
  id: string;
  type: CellType;
}

function planChange(notebook: Notebook, edit: NotebookEditInput, newId: () => string): Change {
  if (edit.edit_mode === 'insert') return planInsert(notebook, edit, newId);
  if (edit.cell_id === undefined) throw refusal(`cell_id is required with edit_mode ${edit.edit_mode}.`);
  const { index, cell } = requireCell(notebook, edit.cell_id);
  if (edit.edit_mode === 'delete') return { splice: { index, remove: 1 }, id: cell.id, type: cell.type };
  const type = edit.cell_type ?? cell.type;
  return { splice: { index, remove: 1, cell: withSource(cell, type, edit.new_source) }, id: cell.id, type };
}

function planInsert(notebook: Notebook, edit: NotebookEditInput, newId: () => string): Change {
  const type = edit.cell_type;
  if (type === undefined) throw refusal('cell_type is required with edit_mode insert.');
  const index = edit.cell_id === undefined ? 0 : requireCell(notebook, edit.cell_id).index + 1;
  const id = notebook.hasIds ? newId() : undefined;
  const cell = {
    cell_type: type,
    ...(type === 'code' && { execution_count: null }),
    ...(id !== undefined && { id }),
    metadata: {},
    ...(type === 'code' && { outputs: [] }),
    source: inStyleOf(notebook.cells[0], edit.new_source),
  };
  return { splice: { index, remove: 0, cell }, id: id ?? `cell-${index}`, type };
}

function requireCell(notebook: Notebook, id: string): { index: number; cell: NotebookCell } {
  const index = findCell(notebook, id);
  const cell = notebook.cells[index];
  if (cell) return { index, cell };
  const some = notebook.cells.slice(0, 20).map((known) => known.id);
  const more = notebook.cells.length > some.length ? ', …' : '';
  throw refusal(`There is no cell ${JSON.stringify(id)}. The cells are: ${some.join(', ') || 'none'}${more}.`);
}

/**
 * The cell with its new source; the keys keep their order. Outputs are dropped, because they belong to the old source.
 */
function withSource(cell: NotebookCell, type: CellType, source: string): JsonObject {
  const changed: JsonObject = { ...cell.json, cell_type: type, source: inStyleOf(cell, source) };
  if (type === 'code') {
    delete changed.attachments;
    return { ...changed, execution_count: null, outputs: [] };
  }
  delete changed.execution_count;
  delete changed.outputs;
  return changed;
}

/** A list of lines, each with its line break, unless the notebook writes texts as one string. */
function inStyleOf(cell: NotebookCell | undefined, source: string): string | string[] {
  if (typeof cell?.json.source === 'string') return source;
  return source === '' ? [] : source.split(/(?<=\n)/);
}
