import { join } from 'node:path';
import { ripgrep } from './ripgrep.ts';
import { type ToolContext, ToolError, type ToolOutput } from './tool.ts';

export interface GlobSearch {
  /** Absolute. */
  dir: string;
  /** Relative to it. */
  pattern: string;
}

const MAX_FILES = 100;

export async function glob({ dir, pattern }: GlobSearch, context: ToolContext): Promise<ToolOutput> {
  const started = context.runtime.clock.now();
  await requireDirectory(dir, context);
  let found = await listFiles(dir, pattern, context);
  // Nothing but ignored files match: whoever asks for node_modules/x/*.d.ts means it.
  if (found.length === 0) found = await listFiles(dir, pattern, context, ['--no-ignore']);
  // The newest are kept, but the wire lists them oldest first.
  const filenames = found
    .slice(0, MAX_FILES)
    .reverse()
    .map((name) => join(dir, name));
  const truncated = found.length > MAX_FILES;
  const durationMs = context.runtime.clock.now() - started;
  return {
    content: render(filenames, found.length),
    data: { filenames, durationMs, numFiles: filenames.length, truncated },
  };
}

/** Newest first. */
async function listFiles(dir: string, pattern: string, context: ToolContext, more: string[] = []): Promise<string[]> {
  // A glob that matches directories would bring back ignored ones; one that matches all says nothing anyway.
  const glob = ['*', '**', '**/*'].includes(pattern) ? [] : [`--glob=${pattern}`];
  const options = ['--files', '--sortr=modified', ...glob, ...more];
  return (await ripgrep({ options, operands: [], dir, prints: 'files' }, context)).records;
}

function render(filenames: string[], total: number): string {
  if (filenames.length === 0) return 'No files found';
  const note = `(${filenames.length} of ${total} files; use a narrower pattern or path to see others)`;
  return [...filenames, ...(total > filenames.length ? [note] : [])].join('\n');
}

async function requireDirectory(dir: string, context: ToolContext): Promise<void> {
  const stat = await context.workspace.stat(dir);
  if (!stat) throw new ToolError(`Directory does not exist: ${dir}`);
  if (stat.kind !== 'directory') throw new ToolError(`${dir} is not a directory.`);
}
