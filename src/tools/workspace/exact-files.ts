import { constants, lstatSync, type Stats } from 'node:fs';
import { type FileHandle, open, readdir, readlink, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { errorCode } from '../../util/error-code.ts';
import { holdDirectory, holdEntry, PathChanged, rethrowLink } from '../../util/files/hold-path.ts';
import { replaceFile } from '../../util/files/replace-file.ts';
import { ToolError } from '../tool.ts';
import type { KeepFile } from '../workspace.ts';
import { isMissing, refuseSpecial } from './file-problems.ts';
import { openRegularFile } from './regular-file.ts';

/**
 * Accesses files by their real paths only: a path that has become a link since it was resolved, or that leads through
 * one, is a PathChanged error.
 */

export function statExact(real: string): Promise<Stats | null> {
  return holdEntry(real, statEntry).catch((error) => {
    if (isMissing(error)) return null;
    throw error;
  });
}

export function listExact(real: string): Promise<string[]> {
  return holdDirectory(real, (at) => readdir(at)).catch(() => []);
}

/** `shown` is the name of the file in messages. */
export async function openExact(real: string, shown: string): Promise<FileHandle> {
  const opened: FileHandle[] = [];
  try {
    return await holdEntry(real, async (at) => {
      const file = await openRegularFile(at, constants.O_NOFOLLOW, shown).catch(rethrowLink);
      opened.push(file);
      return file;
    });
  } catch (error) {
    for (const file of opened) await file.close();
    throw error;
  }
}

export interface Replacement {
  data: string | Uint8Array;
  /** True when a new file must be readable by the user alone. */
  isPrivate: boolean;
  keep?: KeepFile;
}

/** Replaces a file whole, or makes it. Its mode and its owner stay. */
export function replaceExact(real: string, shown: string, { data, isPrivate, keep }: Replacement): Promise<void> {
  const replace = async (at: string) => {
    const before = await statEntry(at);
    if (before) await requireWritable(at, shown, before);
    await keep?.({ path: real, at });
    await replaceFile(at, (temporary) => writeNew(temporary, data, { before, isPrivate }));
  };
  return holdEntry(real, replace, { make: isPrivate ? 0o700 : 0o777 });
}

/** The path that a write to `path` ends up in: the target of its symlinks, also when that does not exist yet. */
export async function realTarget(path: string, hops = 0): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
  if (hops > 40) throw new ToolError(`${path} is a loop of symbolic links.`);
  const parent = await realTarget(dirname(path), hops + 1);
  const link = await readlink(join(parent, basename(path))).catch(() => null);
  return link === null ? join(parent, basename(path)) : realTarget(resolve(parent, link), hops + 1);
}

async function statEntry(at: string): Promise<Stats | null> {
  const stats = lstatSync(at, { throwIfNoEntry: false }); // a search does this for many
  if (stats?.isSymbolicLink()) throw new PathChanged(`${basename(at)} is a link`);
  return stats ?? null;
}

/** A rename would replace a read-only file without asking. */
async function requireWritable(at: string, shown: string, stats: Stats): Promise<void> {
  refuseSpecial(shown, stats);
  const file = await open(at, constants.O_RDWR | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(rethrowLink);
  await file.close();
}

/** Works on the handle, because another process could replace the name by a link. */
async function writeNew(
  path: string,
  data: string | Uint8Array,
  { before, isPrivate }: { before: Stats | null; isPrivate: boolean },
): Promise<void> {
  const file = await open(path, 'wx', before || isPrivate ? 0o600 : 0o666);
  try {
    await file.writeFile(data);
    if (before) await copyAttributes(before, file);
  } finally {
    await file.close();
  }
}

async function copyAttributes(from: Stats, file: FileHandle): Promise<void> {
  const { uid, gid } = await file.stat();
  // Only root may give files away; for others the owner of a file they can replace is nearly always themselves.
  if (uid !== from.uid || gid !== from.gid) await file.chown(from.uid, from.gid).catch(() => {});
  await file.chmod(from.mode & 0o7777);
}
