import { boolean, type InputOf, objectInput, string, withDefault } from './input-schema.ts';
import { noteWritten, requireFile, requireSeen } from './known-files.ts';
import { diffLines } from './patch.ts';
import { boundField, count, decodeForEditing, usesCrlf } from './text-file.ts';
import { type Tool, type ToolContext, ToolError, type ToolOutput } from './tool.ts';

const input = objectInput({
  file_path: string('Absolute path of the file'),
  old_string: string('The exact text to replace'),
  new_string: string('The text to put in its place; must differ'),
  replace_all: withDefault(boolean('Replace every occurrence instead of the only one'), false),
});

type EditInput = InputOf<typeof input>;

export const editTool: Tool<EditInput> = {
  name: 'Edit',
  description: `Replaces exact text in a file.

- Read the file first. old_string must match it character for character, indentation included; leave out the line numbers and arrows that Read adds.
- old_string must occur exactly once: add lines around it until it does, or set replace_all to change every occurrence (such as renaming).
- An empty old_string creates a new file with new_string as content.`,
  input,
  access: ({ file_path }, workspace) => ({ kind: 'edit', paths: [workspace.resolve(file_path)] }),
  isConcurrencySafe: () => false,
  async run(edit, context) {
    const path = context.workspace.resolve(edit.file_path);
    if (edit.old_string === edit.new_string)
      throw refusal('old_string and new_string are the same: nothing to change.');
    const stat = await context.workspace.stat(path);
    if (!stat) return create(path, edit, context);
    requireFile(path, stat);
    if (edit.old_string === '') throw refusal(`${path} exists already: old_string must not be empty.`);
    const seen = requireSeen(path, stat, context);

    const before = decodeForEditing(path, await context.workspace.readFile(path));
    const { after, replaced } = applyEdit(path, before, edit);
    await context.workspace.writeFile(path, after);
    await noteWritten(path, context, { whole: seen.whole });
    const times = replaced === 1 ? '' : ` (${replaced} occurrences)`;
    return { content: `Edited ${path}${times}.`, data: await editData(path, edit, before, after) };
  },
};

async function create(path: string, edit: EditInput, context: ToolContext): Promise<ToolOutput> {
  if (edit.old_string !== '') throw refusal(`${path} does not exist.`);
  await context.workspace.writeFile(path, edit.new_string);
  await noteWritten(path, context, { whole: true });
  return { content: `Created ${path}.`, data: await editData(path, edit, '', edit.new_string) };
}

async function editData(path: string, edit: EditInput, before: string, after: string): Promise<ToolOutput['data']> {
  return {
    filePath: path,
    oldString: boundField(edit.old_string),
    newString: boundField(edit.new_string),
    originalFile: boundField(before),
    structuredPatch: await diffLines(before, after),
    userModified: false,
    replaceAll: edit.replace_all,
  };
}

function applyEdit(path: string, before: string, edit: EditInput): { after: string; replaced: number } {
  const { from, to } = inLineEndingsOf(before, edit);
  const found = count(before, from);
  if (found === 0) throw refusal(notFound(path, edit.old_string));
  if (found > 1 && !edit.replace_all) {
    throw refusal(
      `old_string occurs ${found} times in ${path}. Add lines around it to make it unique, or set replace_all.`,
    );
  }
  // Split and join: `replace` would give meaning to $& and the like in the new text.
  return { after: before.split(from).join(to), replaced: found };
}

/** Read shows CRLF lines without their CR, so an edit of such a file is meant in its line endings. */
function inLineEndingsOf(text: string, { old_string, new_string }: EditInput): { from: string; to: string } {
  const exact = { from: old_string, to: new_string };
  if (!usesCrlf(text)) return exact;
  const converted = { from: toCrlf(old_string), to: toCrlf(new_string) };
  return text.includes(converted.from) ? converted : exact;
}

function toCrlf(text: string): string {
  return text.replace(/\r?\n/g, '\r\n');
}

function notFound(path: string, old: string): string {
  const hint = /^\s*\d+→/m.test(old) ? ' Leave out the line numbers and arrows that Read adds.' : '';
  return `old_string was not found in ${path}. It must match exactly, white space included.${hint}`;
}

function refusal(message: string): ToolError {
  return new ToolError(message, { wrap: true });
}
