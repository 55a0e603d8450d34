import { boolean, type InputOf, objectInput, string, withDefault } from './input-schema.ts';
import type { Tool } from './tool.ts';

const input = objectInput({
  file_path: string('Absolute path of the file'),
  old_string: string('The exact text to replace'),
  new_string: string('The text to put in its place; must differ'),
  replace_all: withDefault(boolean('Replace every occurrence instead of the only one'), false),
});

export type EditInput = InputOf<typeof input>;

export const editTool: Tool<EditInput> = {
  name: 'Edit',
  description: `Replaces exact text in a file.

- Read the file first. old_string must match it character for character, indentation included; leave out the line numbers and arrows that Read adds.
- old_string must occur exactly once: add lines around it until it does, or set replace_all to change every occurrence (such as renaming).
- An empty old_string creates a new file with new_string as content.`,
  input,
  access: ({ file_path }, workspace) => ({ kind: 'edit', paths: [workspace.resolve(file_path)] }),
  isConcurrencySafe: () => false,
  run: async (call, context) => (await import('./edit-run.ts')).runEdit(call, context),
};
