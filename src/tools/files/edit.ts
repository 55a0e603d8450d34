import type { FileEditOutput } from '../wire/tool-outputs.ts';
import { boundField } from './bounded-field.ts';
import type { EditInput } from './edit.ts';
import { applyReplacements, findReplacements, type Replacement } from './edit-match.ts';
import { noteBytes, readSeen, requireFile } from './known-files.ts';
import { diffLines } from './patch.ts';
import { decodeForEditing, encodeText, MAX_LOADED_BYTES } from './text-file.ts';
import { refusal, type ToolContext, type ToolError, type ToolOutput } from './tool.ts';

/** Changes the file as a whole or not at all. */
export async function runEdit(edit: EditInput, context: ToolContext): Promise<ToolOutput> {
  const path = context.workspace.resolve(edit.file_path);
  if (edit.old_string === edit.new_string) throw nothingToChange();
  const stat = await context.workspace.stat(path);
  if (!stat) return create(path, edit, context);
  requireFile(path, stat);
  if (edit.old_string === '') {
    if (stat.size === 0) return create(path, edit, context);
    throw refusal(`${path} exists already and is not empty: old_string must not be empty.`);
  }

  const { bytes, whole } = await readSeen(path, stat, context);
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
  noteBytes(path, written, context, { whole });
  const times = replacements.length === 1 ? '' : ` (${replacements.length} occurrences)`;
  return { content: `Edited ${path}${times}.`, data: await editData(path, edit, text, after) };
}

async function create(path: string, edit: EditInput, context: ToolContext): Promise<ToolOutput> {
  if (edit.old_string !== '') throw refusal(`${path} does not exist.`);
  const bytes = Buffer.from(edit.new_string);
  await context.workspace.writeFile(path, bytes);
  noteBytes(path, bytes, context, { whole: true });
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
/** Beyond this many nobody wants to know how many there are. */
const MAX_COUNTED = 1000;
/** Each place costs memory; a change of this kind is a job for a command. */
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
  const { describeNearest } = await import('./edit-nearest.ts');
  const nearest = await describeNearest(text, old);
  return nearest === null ? `${message} Nothing in the file is like it.` : `${message}\n${nearest}`;
}

function nothingToChange(): ToolError {
  return refusal('old_string and new_string are the same: nothing to change.');
}
