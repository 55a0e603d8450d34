import { type InputOf, objectInput, string } from './input-schema.ts';
import type { Tool } from './tool.ts';

const input = objectInput({
  file_path: string('Absolute path of the file'),
  content: string('The whole new content'),
});

export type WriteInput = InputOf<typeof input>;

export const writeTool: Tool<WriteInput> = {
  name: 'Write',
  description: `Writes a whole file: creates it, with missing directories, or replaces what is there.

- An existing file must have been read whole before. To change a part of a file, Edit is better.
- Create files only where the task needs them.`,
  input,
  access: ({ file_path }, workspace) => ({ kind: 'edit', paths: [workspace.resolve(file_path)] }),
  isConcurrencySafe: () => false,
  run: async (call, context) => (await import('./write-run.ts')).runWrite(call, context),
};
