import { type ToolContext, ToolError } from './tool.ts';
import type { FileStat } from './workspace.ts';

/** Notes that the session has seen (or itself written) the file in this state. */
export function noteFile(path: string, stat: FileStat, context: ToolContext, seen: { whole: boolean }): void {
  context.files.set(path, { mtimeMs: stat.mtimeMs, size: stat.size, whole: seen.whole });
}

/** Notes the state that a write has just produced. */
export async function noteWritten(path: string, context: ToolContext, seen: { whole: boolean }): Promise<void> {
  const stat = await context.workspace.stat(path);
  if (stat) noteFile(path, stat, context, seen);
}

/** Throws unless the file is as the session last saw it: nobody's work may be overwritten unseen. */
export function requireSeen(path: string, stat: FileStat, context: ToolContext): { whole: boolean } {
  const known = context.files.get(path);
  if (!known) throw new ToolError(`${path} has not been read yet. Read it first, then change it.`, { wrap: true });
  if (known.mtimeMs !== stat.mtimeMs || known.size !== stat.size) {
    throw new ToolError(`${path} has changed since it was read. Read it again, then change it.`, {
      wrap: true,
    });
  }
  return known;
}

/** Throws for what cannot be read or written as a file. */
export function requireFile(path: string, stat: FileStat): void {
  if (stat.kind === 'directory') {
    throw new ToolError(`${path} is a directory, not a file. Use Glob or \`ls\` to see what is in it.`, { wrap: true });
  }
  if (stat.kind === 'other') throw new ToolError(`${path} is not a regular file.`, { wrap: true });
}
