import { type InputOf, objectInput, oneOf, optional, string, withDefault } from './input-schema.ts';
import type { Tool } from './tool.ts';

const input = objectInput({
  notebook_path: string('Absolute path of the notebook (.ipynb)'),
  cell_id: optional(string('The cell, as Read names it; with insert the new cell comes after it')),
  new_source: string('The new text of the cell'),
  cell_type: optional(oneOf(['code', 'markdown'], 'Type of the cell; required with insert')),
  edit_mode: withDefault(oneOf(['replace', 'insert', 'delete'], 'What to do'), 'replace'),
});

export type NotebookEditInput = InputOf<typeof input>;

export const notebookEditTool: Tool<NotebookEditInput> = {
  name: 'NotebookEdit',
  description: `Changes one cell of a Jupyter notebook.

- Read the notebook first; it names the cells.
- replace (default) gives the cell a new source; what running a code cell had left is removed.
- insert adds a cell after cell_id, or at the start without one, and needs cell_type.
- delete removes the cell; new_source is not used.`,
  input,
  access: ({ notebook_path }, workspace) => ({ kind: 'edit', paths: [workspace.resolve(notebook_path)] }),
  isConcurrencySafe: () => false,
  run: async (call, context) => (await import('./notebook-edit-run.ts')).runNotebookEdit(call, context),
};
