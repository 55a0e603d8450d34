import { type InputOf, integer, objectInput, optional, string } from './input-schema.ts';
import type { Tool } from './tool.ts';

const input = objectInput({
  file_path: string('Absolute path of the file'),
  offset: optional(integer('Line to start at; the first line is 1', { minimum: 0 })),
  limit: optional(integer('How many lines to read', { minimum: 1 })),
  pages: optional(string('Pages of a PDF, such as "3", "1-5" or "1,3-4"; at most 20')),
});

export type ReadInput = InputOf<typeof input>;

export const readTool: Tool<ReadInput> = {
  name: 'Read',
  description: `Reads a file. Each line of a text comes as its number, an arrow (→) and its text. Images are shown, PDFs up to 10 pages too (others by pages), notebooks as cells.

- Gives 2000 lines from the start; for others use offset and limit. Files over 256 KB need them; use Grep to find the place.
- Lines over 2000 characters are cut.
- To see a directory use Glob or \`ls\`. To read several files, call this several times in one answer.
- A file must be read before Edit, Write or NotebookEdit may change it.`,
  input,
  access: ({ file_path }, workspace) => ({ kind: 'read', paths: [workspace.resolve(file_path)] }),
  isConcurrencySafe: () => true,
  run: async (call, context) => (await import('./read-run.ts')).runRead(call, context),
};
