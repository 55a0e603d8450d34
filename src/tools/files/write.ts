import type { FileWriteOutput } from '../../wire/tools/tool-outputs.ts';
import { boundField } from '../bounded-field.ts';
import { type InputOf, objectInput, string } from '../input-schema.ts';
import { refusal, type Tool, type ToolContext, type ToolOutput } from '../tool.ts';
import { diffLines } from './patch.ts';
import { markBytesSeen, readUnchanged } from './seen-files.ts';
import { binaryKind, decodeForDisplay, encodeText, type TextFormat, textFormat } from './text-file.ts';

const input = objectInput({
  file_path: string('Absolute path'),
  content: string('The whole new content'),
});

type WriteInput = InputOf<typeof input>;

export const writeTool: Tool<WriteInput> = {
  name: 'Write',
  description: `Writes a whole file: creates it, with missing directories, or replaces what is there.

- An existing file must have been read whole before. For a part of a file, Edit is better.
- Only where the task needs the file.`,
  input,
  access: ({ file_path }, workspace) => ({ kind: 'edit', paths: [workspace.resolve(file_path)] }),
  isConcurrencySafe: () => false,
  run: runWrite,
};

/** The character that replaces bytes that are not text. */
const UNREADABLE = '\uFFFD';

/** Keeps the line endings that the model wrote, and the encoding and byte order mark of the replaced file. */
async function runWrite({ file_path, content }: WriteInput, context: ToolContext): Promise<ToolOutput> {
  const path = context.workspace.resolve(file_path);
  const before = await previous(path, context);
  // Reading the file gave replacement characters; the model would write them back as if they were its text.
  if (before?.text.includes(UNREADABLE) && content.includes(UNREADABLE)) {
    throw refusal(
      `${path} is not UTF-8 text: what could not be shown (${UNREADABLE}) would be lost. Use a command such as iconv or sed.`,
    );
  }
  const bytes = encodeText(content, before?.format ?? { encoding: 'utf-8', bom: false });
  await context.workspace.writeFile(path, bytes);
  markBytesSeen(path, bytes, context, { whole: true });
  const data: FileWriteOutput = {
    type: before === null ? 'create' : 'update',
    filePath: path,
    content: boundField(content),
    structuredPatch: before === null ? [] : await diffLines(before.text, content),
    originalFile: before === null ? null : boundField(before.text),
  };
  return { content: `${before === null ? 'Created' : 'Replaced the content of'} ${path}.`, data };
}

/** Null when there is no file yet. Throws when the session has not seen the whole file in its current state. */
async function previous(path: string, context: ToolContext): Promise<{ text: string; format: TextFormat } | null> {
  const stat = await context.workspace.stat(path);
  if (!stat) return null;
  const { bytes, whole } = await readUnchanged(path, stat, context);
  const kind = binaryKind(bytes);
  if (kind !== null)
    throw refusal(`${path} is ${kind}; Write makes text files. Choose another name, or remove it first.`);
  if (!whole) {
    throw refusal(`Only a part of ${path} was read. Use Edit, or Read it whole (a larger limit) before replacing it.`);
  }
  return { text: decodeForDisplay(bytes), format: textFormat(bytes) };
}
