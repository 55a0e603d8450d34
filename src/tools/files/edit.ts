import type { FileEditOutput } from '../../wire/tools/tool-outputs.ts';
import { boundField } from '../bounded-field.ts';
import { boolean, type InputOf, objectInput, string, withDefault } from '../input-schema.ts';
import { refusal, type Tool, type ToolContext, type ToolError, type ToolOutput } from '../tool.ts';
import { applyReplacements, findReplacements, type Replacement } from './edit-match.ts';
import { describeNearest } from './nearest-text.ts';
import { diffLines } from './patch.ts';
import { markBytesSeen, readUnchanged, requireFile } from './seen-files.ts';
import { decodeForEditing, encodeText, MAX_LOADED_BYTES } from './text-file.ts';

const input = objectInput({
  file_path: string('Absolute path'),
  old_string: string('The exact text to replace'),
  new_string: string('The text to put in its place; must differ'),
  replace_all: withDefault(boolean('Every occurrence'), false),
});

type EditInput = InputOf<typeof input>;

export const editTool: Tool<EditInput> = {
  name: 'Edit',
  description: `Replaces exact text in a file.

- Read the file first. old_string must match it character for character, without the line numbers and arrows that Read adds.
- It must occur exactly once: add lines around it, or set replace_all to change every occurrence.
- An empty old_string creates a new file with new_string as content.`,
  input,
  access: ({ file_path }, workspace) => ({ kind: 'edit', paths: [workspace.resolve(file_path)] }),
  isConcurrencySafe: () => false,
  run: runEdit,
};

/** Changes the file as a whole or not at all. */
async function runEdit(edit: EditInput, context: ToolContext): Promise<ToolOutput> {
  const path = context.workspace.resolve(edit.file_path);
  if (edit.old_string === edit.new_string) throw nothingToChange();
  const stat = await context.workspace.stat(path);
  if (!stat) return create(path, edit, context);
  requireFile(path, stat);
  if (edit.old_string === '') {
    if (stat.size === 0) return create(path, edit, context);
    throw refusal(`${path} exists already and is not empty: old_string must not be empty.`);
  }

  const { bytes, whole } = await readUnchanged(path, stat, context);
  const { text, format } = decodeForEditing(path, bytes);
  const max = edit.replace_all ? MAX_REPLACEMENTS : MAX_COUNTED;
  const replacements = await findReplacements(text, edit.old_string, edit.new_string, max + 1);
  if (replacements.length === 0) throw refusal(await notFound(path, text, edit.old_string));
  if (replacements.length > 1 && !edit.replace_all) throw refusal(ambiguous(path, text, replacements));
  if (replacements.length > MAX_REPLACEMENTS) throw refusal(tooMany(path));
  const after = applyReplacements(text, replacements);
  if (after.length > MAX_LOADED_BYTES) throw refusal(`${path} would become larger than 64 MB. Use a command for that.`);
  if (after === text) throw nothingToChange();

  const written = encodeText(after, format);
  await context.workspace.writeFile(path, written);
  markBytesSeen(path, written, context, { whole });
  const times = replacements.length === 1 ? '' : ` (${replacements.length} occurrences)`;
  return { content: `Edited ${path}${times}.`, data: await editData(path, edit, text, after) };
}

async function create(path: string, edit: EditInput, context: ToolContext): Promise<ToolOutput> {
  if (edit.old_string !== '') throw refusal(`${path} does not exist.`);
  const bytes = Buffer.from(edit.new_string);
  await context.workspace.writeFile(path, bytes);
  markBytesSeen(path, bytes, context, { whole: true });
  return { content: `Created ${path}.`, data: await editData(path, edit, '', edit.new_string) };
}

async function editData(path: string, edit: EditInput, before: string, after: string): Promise<FileEditOutput> {
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

const NAMED_LINES = 10;
/** The count stops here: a higher number would not help the model. */
const MAX_COUNTED = 1000;
/** Each place costs memory; so many replacements are a job for a command. */
const MAX_REPLACEMENTS = 200_000;

function tooMany(path: string): string {
  return `old_string occurs more than ${MAX_REPLACEMENTS} times in ${path}. Use a command such as sed for a change of this size.`;
}

function ambiguous(path: string, text: string, found: readonly Replacement[]): string {
  const lines = lineNumbers(text, found.slice(0, NAMED_LINES));
  const more = found.length > NAMED_LINES ? ', …' : '';
  const where = `lines ${lines.join(', ')}${more}`;
  const times = found.length > MAX_COUNTED ? `more than ${MAX_COUNTED}` : `${found.length}`;
  return `old_string occurs ${times} times in ${path} (${where}). Add lines around it to make it unique, or set replace_all.`;
}

function lineNumbers(text: string, found: readonly Replacement[]): number[] {
  let line = 1;
  let at = 0;
  return found.map(({ start }) => {
    line += text.slice(at, start).split('\n').length - 1;
    at = start;
    return line;
  });
}

async function notFound(path: string, text: string, old: string): Promise<string> {
  const message = `old_string was not found in ${path}. It must match exactly, white space included.`;
  if (/^[ \t]*\d+\u2192/m.test(old)) return `${message} Leave out the line numbers and arrows that Read adds.`;
  const nearest = await describeNearest(text, old);
  return nearest === null ? `${message} Nothing in the file is like it.` : `${message}\n${nearest}`;
}

function nothingToChange(): ToolError {
  return refusal('old_string and new_string are the same: nothing to change.');
}
