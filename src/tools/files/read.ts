import { basename, dirname, extname, join } from 'node:path';
import { type InputOf, integer, objectInput, optional, string } from '../input-schema.ts';
import { type Tool, type ToolContext, ToolError, type ToolOutput } from '../tool.ts';
import type { FileStat } from '../workspace.ts';
import type { ReadableFile } from './file-kind.ts';
import { readImage } from './read-image.ts';
import { readNotebook } from './read-notebook.ts';
import { readText } from './read-text.ts';
import { requireFile } from './seen-files.ts';
import { binaryKind } from './text-file.ts';

const input = objectInput({
  file_path: string('Absolute path'),
  offset: optional(integer('Line to start at; the first line is 1', { minimum: 0 })),
  limit: optional(integer('How many lines to read', { minimum: 1 })),
  pages: optional(string('Pages of a PDF, such as "3", "1-5" or "1,3-4"; at most 20')),
});

type ReadInput = InputOf<typeof input>;

export const readTool: Tool<ReadInput> = {
  name: 'Read',
  description: `Reads a file. Each line of a text comes as its number, an arrow (→) and its text. Images are shown, PDFs up to 10 pages too (others by pages), notebooks as cells.

- Gives 2000 lines from the start; for others, and for files over 256 KB, use offset and limit (Grep finds the place).
- Lines over 2000 characters are cut.
- Not for directories: use Glob or \`ls\`.
- A file must be read before Edit, Write or NotebookEdit may change it.`,
  input,
  access: ({ file_path }, workspace) => ({ kind: 'read', paths: [workspace.resolve(file_path)] }),
  isConcurrencySafe: () => true,
  run: runRead,
};

/** Detects the kind of the file by its bytes, not by its name, and passes it to the reader for that kind. */
async function runRead(input: ReadInput, context: ToolContext): Promise<ToolOutput> {
  const path = context.workspace.resolve(input.file_path);
  const stat = await statExisting(path, context);
  requireFile(path, stat);
  const file: ReadableFile = { path, size: stat.size, head: await headOf(path, context) };
  const kind = binaryKind(file.head);

  if (kind === 'a PDF document') return (await import('./read-pdf.ts')).readPdf(file, input.pages, context);
  if (input.pages) throw new ToolError(`${path} is not a PDF, so it has no pages. Use offset and limit.`);
  if (kind !== null && SHOWN_IMAGES.has(kind)) return readImage(file, context);
  if (kind !== null) throw new ToolError(`${path} is ${named(kind)} and cannot be shown as text.`);
  if (isNotebook(path) && input.offset === undefined && input.limit === undefined) {
    return readNotebook(file, context);
  }
  return readText(file, input, context);
}

/** The kinds of image that models can see. SVG is text. */
const SHOWN_IMAGES = new Set(['a PNG image', 'a JPEG image', 'a GIF image', 'a WebP image']);

function named(kind: string): string {
  return kind === 'a binary file' ? kind : `a binary file (${kind})`;
}

/** By its name: the content of a notebook looks like any JSON. */
function isNotebook(path: string): boolean {
  return extname(path).toLowerCase() === '.ipynb';
}

async function headOf(path: string, { workspace }: ToolContext): Promise<Uint8Array> {
  for await (const chunk of workspace.readChunks(path)) return chunk;
  return new Uint8Array();
}

async function statExisting(path: string, context: ToolContext): Promise<FileStat> {
  const stat = await context.workspace.stat(path);
  if (stat) return stat;
  const similar = await similarNames(path, context);
  const hint = similar.length > 0 ? ` Did you mean ${similar.join(' or ')}?` : '';
  throw new ToolError(`File does not exist: ${path} (working directory: ${context.workspace.cwd}).${hint}`);
}

/** Names in the same directory that differ from the missing one in case or extension only. */
async function similarNames(path: string, { workspace }: ToolContext): Promise<string[]> {
  const stem = (name: string) => basename(name, extname(name)).toLowerCase();
  const names = await workspace.list(dirname(path));
  return names
    .filter((name) => stem(name) === stem(path))
    .slice(0, 3)
    .map((name) => join(dirname(path), name));
}
