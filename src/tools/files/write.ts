import type { FileWriteOutput } from '../wire/tool-outputs.ts';
import { boundField } from './bounded-field.ts';
import { noteBytes, readSeen } from './known-files.ts';
import { diffLines } from './patch.ts';
import { binaryKind, decodeForDisplay, encodeText, type TextFormat, textFormat } from './text-file.ts';
import { refusal, type ToolContext, type ToolOutput } from './tool.ts';
import type { WriteInput } from './write.ts';

/** What stands for bytes that are no text. */
const UNREADABLE = '\uFFFD';

/** Line endings are the model's; the encoding and its mark are those of the file that is replaced. */
export async function runWrite({ file_path, content }: WriteInput, context: ToolContext): Promise<ToolOutput> {
  const path = context.workspace.resolve(file_path);
  const before = await previous(path, context);
  // Where reading it gave replacement characters, they come back as if they were its text.
  if (before?.text.includes(UNREADABLE) && content.includes(UNREADABLE)) {
    throw refusal(
      `${path} is not UTF-8 text: what could not be shown (${UNREADABLE}) would be lost. Use a command such as iconv or sed.`,
    );
  }
  const bytes = encodeText(content, before?.format ?? { encoding: 'utf-8', bom: false });
  await context.workspace.writeFile(path, bytes);
  noteBytes(path, bytes, context, { whole: true });
  const data: FileWriteOutput = {
    type: before === null ? 'create' : 'update',
    filePath: path,
    content: boundField(content),
    structuredPatch: before === null ? [] : await diffLines(before.text, content),
    originalFile: before === null ? null : boundField(before.text),
  };
  return { content: `${before === null ? 'Created' : 'Replaced the content of'} ${path}.`, data };
}

/** Null when there is no file yet. Throws when there is one that the session has not seen as it is, and whole. */
async function previous(path: string, context: ToolContext): Promise<{ text: string; format: TextFormat } | null> {
  const stat = await context.workspace.stat(path);
  if (!stat) return null;
  const { bytes, whole } = await readSeen(path, stat, context);
  const kind = binaryKind(bytes);
  if (kind !== null)
    throw refusal(`${path} is ${kind}; Write makes text files. Choose another name, or remove it first.`);
  if (!whole) {
    throw refusal(`Only a part of ${path} was read. Use Edit, or Read it whole (a larger limit) before replacing it.`);
  }
  return { text: decodeForDisplay(bytes), format: textFormat(bytes) };
}
