import { basename, dirname, extname, join } from 'node:path';
import { requireFile } from './known-files.ts';
import type { ReadInput } from './read.ts';
import { binaryKind } from './text-file.ts';
import { type ToolContext, ToolError, type ToolOutput } from './tool.ts';
import type { FileStat } from './workspace.ts';

/** A file that is there, and what a reader needs to begin. */
export interface FoundFile {
  path: string;
  size: number;
  /** Its first bytes. */
  head: Uint8Array;
}

/** Finds out what the file is, by its bytes and not by its name, and has it read by whoever can. */
export async function runRead(input: ReadInput, context: ToolContext): Promise<ToolOutput> {
  const path = context.workspace.resolve(input.file_path);
  const stat = await statExisting(path, context);
  requireFile(path, stat);
  const file = { path, size: stat.size, head: await headOf(path, context) };
  const kind = binaryKind(file.head);

  if (kind === 'a PDF document') return (await import('./read-pdf.ts')).readPdf(file, input.pages, context);
  if (input.pages) throw new ToolError(`${path} is not a PDF, so it has no pages. Use offset and limit.`);
  if (kind !== null && SHOWN_IMAGES.has(kind)) return (await import('./read-image.ts')).readImage(file, context);
  if (kind !== null) throw new ToolError(`${path} is ${named(kind)} and cannot be shown as text.`);
  if (isNotebook(path) && input.offset === undefined && input.limit === undefined) {
    return (await import('./read-notebook.ts')).readNotebook(file, context);
  }
  return (await import('./read-text.ts')).readText(file, input, context);
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

/** Names beside the missing one that differ from it in case or extension only. */
async function similarNames(path: string, { workspace }: ToolContext): Promise<string[]> {
  const stem = (name: string) => basename(name, extname(name)).toLowerCase();
  const names = await workspace.list(dirname(path));
  return names
    .filter((name) => stem(name) === stem(path))
    .slice(0, 3)
    .map((name) => join(dirname(path), name));
}
