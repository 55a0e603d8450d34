import { createHash } from 'node:crypto';
import { MAX_LOADED_BYTES } from './text-file.ts';
import { refusal, type ToolContext } from './tool.ts';
import type { FileStat } from './workspace.ts';

/** Notes that the session has seen, or itself written, the file in this state. */
export function noteFile(path: string, digest: string, context: ToolContext, seen: { whole: boolean }): void {
  context.files.set(path, { digest, whole: seen.whole });
}

/** The same for a file whose bytes are at hand. */
export function noteBytes(path: string, bytes: Uint8Array, context: ToolContext, seen: { whole: boolean }): void {
  noteFile(path, digestOf(bytes), context, seen);
}

export function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/**
 * The bytes of a file that is as the session last saw it. Throws otherwise: nobody's work may be overwritten unseen.
 * `whole` is false when the session has seen only a part.
 */
export async function readSeen(
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

/** The streams of whoever runs this, under names of files. */
const STREAMS = /^\/dev\/(stdin|stdout|stderr|fd\/)|^\/proc\/[^/]+\/(task\/[^/]+\/)?fd\//;

/** Throws for what cannot be read or written as a file. */
export function requireFile(path: string, stat: FileStat): void {
  if (stat.kind === 'directory') {
    throw refusal(`${path} is a directory, not a file. Use Glob or \`ls\` to see what is in it.`);
  }
  if (stat.kind === 'other' || STREAMS.test(path)) throw refusal(`${path} is not a regular file.`);
}
