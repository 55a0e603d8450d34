import { constants, realpathSync, type Stats } from 'node:fs';
import {
  chmod,
  chown,
  type FileHandle,
  lstat,
  open,
  readdir,
  readlink,
  realpath,
  stat,
  writeFile,
} from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { errorCode } from '../util/error-code.ts';
import { makeDirectory } from '../util/make-directory.ts';
import type { Processes } from '../util/process.ts';
import { replaceFile } from '../util/replace-file.ts';
import { ToolError } from './tool.ts';
import type { FileStat, Workspace } from './workspace.ts';

export interface LocalWorkspaceOptions {
  cwd: string;
  /** Additional directories. */
  roots?: readonly string[];
  /** What `~` stands for; empty when there is no home. */
  home: string;
  /** What is new below it is for the user alone (ruling G8). */
  privateDir?: string | null;
  processes: Processes;
}

/** The machine we run on. Throws when `cwd` does not exist. */
export function createLocalWorkspace(options: LocalWorkspaceOptions): Workspace {
  const cwd = realpathSync(options.cwd);
  const roots = new Set([cwd, ...(options.roots ?? []).map((root) => realOrSame(expand(root)))]);

  function expand(path: string): string {
    const fromHome = options.home !== '' && (path === '~' || path.startsWith('~/'));
    return fromHome ? resolve(options.home, `.${path.slice(1)}`) : resolve(cwd, path);
  }

  return {
    cwd,
    roots: [...roots],
    resolve: expand,
    stat: async (path) => {
      const stats = await statOrNull(path);
      return stats && toFileStat(stats);
    },
    list: (path) => readdir(path).catch(() => []),
    readFile: (path) => readRegularFile(path).catch(rethrowReadable(path)),
    readChunks: chunksOf,
    writeFile: (path, data) => replaceContent(path, data, options.privateDir ?? null).catch(rethrowReadable(path)),
    exec: (spec, signal) => options.processes.run(spec, signal),
  };
}

const CHUNK_BYTES = 256 * 1024;

async function readRegularFile(path: string): Promise<Uint8Array> {
  const file = await openRegularFile(path);
  try {
    return await file.readFile();
  } finally {
    await file.close();
  }
}

async function* chunksOf(path: string): AsyncGenerator<Uint8Array, void> {
  const file = await openRegularFile(path).catch(rethrowReadable(path));
  try {
    for (;;) {
      // A new buffer each time: the reader may keep the last one.
      const piece = file.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES);
      const { buffer, bytesRead } = await piece.catch(rethrowReadable(path));
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

async function openRegularFile(path: string): Promise<FileHandle> {
  // O_NONBLOCK: to open a FIFO without a writer would wait for ever.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    refuseSpecial(path, await file.stat());
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** What the file was stays: its mode, its owner, and the symlink that led to it. */
async function replaceContent(path: string, data: string | Uint8Array, privateDir: string | null): Promise<void> {
  const target = await finalTarget(path);
  const before = await statOrNull(target);
  const isPrivate = privateDir !== null && isBelow(realOrSame(privateDir), realOrSame(dirname(target)));
  if (before) {
    refuseSpecial(path, before);
    await (await open(target, 'r+')).close(); // rename would replace a read-only file without asking
  } else {
    makeDirectory(dirname(target), isPrivate ? 0o700 : 0o777);
  }
  await replaceFile(target, async (temporary) => {
    await writeFile(temporary, data, { flag: 'wx', mode: before || isPrivate ? 0o600 : 0o666 });
    if (before) await copyAttributes(before, temporary);
  });
}

async function copyAttributes(from: Stats, path: string): Promise<void> {
  const { uid, gid } = await stat(path);
  // Only root may give files away; for others the owner of a file they can replace is nearly always themselves.
  if (uid !== from.uid || gid !== from.gid) await chown(path, from.uid, from.gid).catch(() => {});
  await chmod(path, from.mode & 0o7777);
}

/** Where writing to `path` ends up: the target of its symlinks, also when that does not exist yet. */
async function finalTarget(path: string, hops = 0): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
  const link = await readlinkOrNull(path);
  if (link === null) return path;
  if (hops > 40) throw new ToolError(`${path} is a loop of symbolic links.`);
  return finalTarget(resolve(await realpath(dirname(path)), link), hops + 1);
}

async function readlinkOrNull(path: string): Promise<string | null> {
  const stats = await lstat(path).catch(() => null);
  return stats?.isSymbolicLink() ? readlink(path) : null;
}

function refuseSpecial(path: string, stats: Stats): void {
  if (stats.isFile()) return;
  throw new ToolError(`${path} is ${stats.isDirectory() ? 'a directory' : 'not a regular file'}.`);
}

async function statOrNull(path: string): Promise<Stats | null> {
  try {
    return await stat(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return null;
    return rethrowReadable(path)(error);
  }
}

function toFileStat(stats: Stats): FileStat {
  const kind = stats.isFile() ? 'file' : stats.isDirectory() ? 'directory' : 'other';
  return { kind, size: stats.size, mtimeMs: stats.mtimeMs };
}

const PROBLEMS: Record<string, string> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'has a parent that is not a directory',
  EACCES: 'cannot be accessed: permission denied',
  EPERM: 'cannot be accessed: operation not permitted',
  EROFS: 'is on a read-only file system',
  ENOSPC: 'cannot be written: no space left on the device',
  EFBIG: 'cannot be written: it would be larger than files may be',
  EDQUOT: 'cannot be written: the disk quota is used up',
  ELOOP: 'is a loop of symbolic links',
  ENAMETOOLONG: 'has a name that is too long',
  EISDIR: 'is a directory',
  ENXIO: 'is not a regular file',
};

/** System errors become sentences that a model can act on. */
function rethrowReadable(path: string): (error: unknown) => never {
  return (error) => {
    if (error instanceof ToolError) throw error;
    const problem = PROBLEMS[errorCode(error) ?? ''];
    const text = problem === undefined ? `cannot be used: ${(error as Error).message}` : problem;
    throw new ToolError(`${path} ${text}.`, { cause: error });
  };
}

function isBelow(directory: string, path: string): boolean {
  return path === directory || path.startsWith(`${directory}/`);
}

function realOrSame(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
