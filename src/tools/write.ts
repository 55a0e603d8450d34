import { type InputOf, objectInput, string } from './input-schema.ts';
import { noteWritten, requireFile, requireSeen } from './known-files.ts';
import { diffLines } from './patch.ts';
import { boundField, decodeForDisplay } from './text-file.ts';
import { type Tool, type ToolContext, ToolError } from './tool.ts';

const input = objectInput({
  file_path: string('Absolute path of the file'),
  content: string('The whole new content'),
});

export const writeTool: Tool<InputOf<typeof input>> = {
  name: 'Write',
  description: `Writes a whole file: creates it, with missing directories, or replaces what is there.

- An existing file must have been read whole before. To change a part of a file, Edit is better.
- Create files only where the task needs them.`,
  input,
  access: ({ file_path }, workspace) => ({ kind: 'edit', paths: [workspace.resolve(file_path)] }),
  isConcurrencySafe: () => false,
  async run({ file_path, content }, context) {
    const path = context.workspace.resolve(file_path);
    const before = await previousContent(path, context);
    await context.workspace.writeFile(path, content);
    await noteWritten(path, context, { whole: true });
    const data = {
      type: before === null ? 'create' : 'update',
      filePath: path,
      content: boundField(content),
      structuredPatch: before === null ? [] : await diffLines(before, content),
      originalFile: before === null ? null : boundField(before),
    };
    return { content: `${before === null ? 'Created' : 'Replaced the content of'} ${path}.`, data };
  },
};

/** Null when there is no file yet. Throws when there is one that the session has not seen as it is, and whole. */
async function previousContent(path: string, context: ToolContext): Promise<string | null> {
  const stat = await context.workspace.stat(path);
  if (!stat) return null;
  requireFile(path, stat);
  if (!requireSeen(path, stat, context).whole) {
    const text = `Only a part of ${path} was read. Use Edit, or Read it whole (a larger limit) before replacing it.`;
    throw new ToolError(text, { wrap: true });
  }
  return decodeForDisplay(await context.workspace.readFile(path));
}
