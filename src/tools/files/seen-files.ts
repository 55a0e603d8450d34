import { createHash } from 'node:crypto';
import { refusal, type ToolContext } from '../tool.ts';
import type { FileStat } from '../workspace.ts';
import { MAX_LOADED_BYTES } from './text-file.ts';

/** Notes that the session has seen, or itself written, the file in this state. */
export function markSeen(path: string, digest: string, context: ToolContext, seen: { whole: boolean }): void {
  context.files.set(path, { digest, whole: seen.whole });
}

/** Like `markSeen`, for a file whose bytes are at hand. */
export function markBytesSeen(path: string, bytes: Uint8Array, context: ToolContext, seen: { whole: boolean }): void {
  markSeen(path, digestOf(bytes), context, seen);
}

export function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/**
 * The bytes of a file that is unchanged since the session last saw it. Throws otherwise, so that no one's changes are
 * overwritten unseen. `whole` is false when the session has seen only a part.
 */
export async function readUnchanged(
  path: string,
  stat: FileStat,
  context: ToolContext,
): Promise<{ bytes: Uint8Array; whole: boolean }> {
  requireFile(path, stat);
  if (stat.size > MAX_LOADED_BYTES) {
    throw refusal(`${path} is too large to be changed here (over 64 MB). Use a command, such as \`sed -i\`.`);
  }
  const known = context.files.get(path);
  if (!known) throw refusal(`${path} has not been read yet. Read it first, then change it.`);
  const bytes = await context.workspace.readFile(path);
  if (digestOf(bytes) !== known.digest) {
    throw refusal(`${path} has changed since it was read. Read it again, then change it.`);
  }
  return { bytes, whole: known.whole };
}

/** File names that stand for the standard streams of this process. */
const STREAMS = /^\/dev\/(stdin|stdout|stderr|fd\/)|^\/proc\/[^/]+\/(task\/[^/]+\/)?fd\//;

/** Throws for a path that cannot be read or written as a file. */
export function requireFile(path: string, stat: FileStat): void {
  if (stat.kind === 'directory') {
    throw refusal(`${path} is a directory, not a file. Use Glob or \`ls\` to see what is in it.`);
  }
  if (stat.kind === 'other' || STREAMS.test(path)) throw refusal(`${path} is not a regular file.`);
}
