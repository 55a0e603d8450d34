import { closeSync, constants, lstatSync, openSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { errorCode } from '../error-code.ts';
import { makeDirectory, makeOne } from './make-directory.ts';

/** A path is no longer a real path: a part of it became a link, or was moved. */
export class PathChanged extends Error {
  override readonly name = 'PathChanged';
}

export interface HoldOptions {
  /** Creates missing directories, with this mode. */
  make?: number;
  /** The directory that lists processes and their open files; absent: /proc, as on Linux. */
  processes?: string;
}

/**
 * Works in the directory at a real path, and in no other. `at` leads there even if the directory or one of its parents
 * is replaced meanwhile, also in processes that `work` starts. Throws PathChanged when a link is on the path.
 *
 * Without /proc (macOS) it checks the path before and after instead: a change that is undone in between goes unnoticed.
 */
export async function holdDirectory<T>(
  real: string,
  work: (at: string) => Promise<T>,
  options: HoldOptions = {},
): Promise<T> {
  const open = openFiles(options.processes ?? '/proc');
  if (open === null) return checkAround(real, work, options);
  const fd = openQuickly(open, real) ?? walkTo(open, real, options);
  try {
    return await work(`${open}/${fd}`);
  } finally {
    closeSync(fd);
  }
}

/** Works with a name in a directory, whether it exists or not. `work` must check whether the name itself is a link. */
export function holdEntry<T>(real: string, work: (at: string) => Promise<T>, options: HoldOptions = {}): Promise<T> {
  return holdDirectory(dirname(real), (at) => work(join(at, basename(real))), options);
}

/** Works with an existing file: `at` leads to its content. */
export function holdFile<T>(real: string, work: (at: string) => Promise<T>, options: HoldOptions = {}): Promise<T> {
  return holdEntry(real, (entry) => holdContent(entry, work, options), options);
}

/** Works with a file by its name in a directory that is not held. Throws PathChanged for a link. */
export async function holdContent<T>(
  entry: string,
  work: (at: string) => Promise<T>,
  options: Pick<HoldOptions, 'processes'> = {},
): Promise<T> {
  const open = openFiles(options.processes ?? '/proc');
  const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;
  const fd = openUnlinked(entry, flags);
  try {
    return await work(open === null ? entry : `${open}/${fd}`);
  } finally {
    closeSync(fd);
  }
}

function openUnlinked(entry: string, flags: number): number {
  try {
    return openSync(entry, flags);
  } catch (error) {
    return rethrowLink(error);
  }
}

/** Turns the error of O_NOFOLLOW for a link into a PathChanged. */
export function rethrowLink(error: unknown): never {
  throw errorCode(error) === 'ELOOP' ? new PathChanged('It is a link') : error;
}

/** Opens a directory only as a starting point, which needs no permission to list it. */
const O_PATH = 0o10000000;

/**
 * The directory of this process's open files, which other processes can use, too. It has the process id of that /proc,
 * which may differ from our own.
 */
function openFiles(processes: string): string | null {
  try {
    return join(processes, readlinkSync(join(processes, 'self')), 'fd');
  } catch {
    return null;
  }
}

/** Nearly always nothing has changed: then the kernel reports the same path. */
function openQuickly(open: string, real: string): number | null {
  let fd: number;
  try {
    fd = openSync(real, O_PATH | constants.O_DIRECTORY);
  } catch {
    return null;
  }
  if (readlinkSync(`${open}/${fd}`) === real) return fd;
  closeSync(fd);
  return null;
}

/** Opens one name after the other from the root, each relative to the one before. */
function walkTo(open: string, real: string, { make }: HoldOptions): number {
  let fd = openSync('/', O_PATH | constants.O_DIRECTORY);
  for (const name of real.split('/').filter((each) => each !== '')) {
    const parent = fd;
    try {
      fd = enter(`${open}/${parent}/${name}`, make);
    } finally {
      closeSync(parent);
    }
  }
  return fd;
}

function enter(path: string, make: number | undefined): number {
  const open = () => openSync(path, O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    return open();
  } catch (error) {
    if (errorCode(error) === 'ENOTDIR' && !lstatSync(path, { throwIfNoEntry: false })?.isFile()) {
      throw new PathChanged(`${basename(path)} is no directory`);
    }
    if (errorCode(error) !== 'ENOENT' || make === undefined) throw error;
  }
  makeOne(path, make);
  return enter(path, undefined);
}

async function checkAround<T>(real: string, work: (at: string) => Promise<T>, { make }: HoldOptions): Promise<T> {
  requireReal(real);
  if (make !== undefined) makeDirectory(real, make);
  requireReal(real);
  const result = await work(real);
  requireReal(real);
  return result;
}

/** A missing file is as real as its parent. */
function requireReal(path: string): void {
  let existing = path;
  while (existing !== '/' && !lstatSync(existing, { throwIfNoEntry: false })) existing = dirname(existing);
  if (realpathSync(existing) !== existing) throw new PathChanged(`${existing} is a link, or behind one`);
}
