import { closeSync, constants, lstatSync, mkdirSync, openSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { errorCode } from './error-code.ts';
import { makeDirectory } from './make-directory.ts';

/** A path is no real one any more: something on its way has become a link, or has gone elsewhere. */
export class PathChanged extends Error {
  override readonly name = 'PathChanged';
}

export interface HoldOptions {
  /** Makes the directories that are missing, with this mode. */
  make?: number;
  /** Where the system shows processes and what they have open; absent: as on Linux. */
  processes?: string;
}

/**
 * Works in the directory at a real path, and in no other. `at` leads there whatever is put in the place of the directory
 * or of its parents meanwhile, in processes that are started, too. Throws PathChanged when a link stands on the way.
 *
 * Where processes cannot be looked at (macOS), it is checked before and after instead: what is changed back in between
 * goes unnoticed.
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

/** The same for what has a name in a directory, existing or not. Whether the name itself is a link is for `work` to see. */
export function holdEntry<T>(real: string, work: (at: string) => Promise<T>, options: HoldOptions = {}): Promise<T> {
  return holdDirectory(dirname(real), (at) => work(join(at, basename(real))), options);
}

/** The same for a file that is there: `at` leads to its content. */
export function holdFile<T>(real: string, work: (at: string) => Promise<T>, options: HoldOptions = {}): Promise<T> {
  return holdEntry(real, (entry) => holdContent(entry, work, options), options);
}

/** A file with a name in a directory that need not be held. Throws PathChanged for a link. */
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

/** What O_NOFOLLOW says of a link is a PathChanged. */
export function rethrowLink(error: unknown): never {
  throw errorCode(error) === 'ELOOP' ? new PathChanged('It is a link') : error;
}

/** Only as a place to start from: that needs no permission to list it. */
const O_PATH = 0o10000000;

/** Where our open files are found, also by other processes. By the number that we have there, which need not be ours here. */
function openFiles(processes: string): string | null {
  try {
    return join(processes, readlinkSync(join(processes, 'self')), 'fd');
  } catch {
    return null;
  }
}

/** Nearly always nothing has changed: then the kernel names the directory as we do. */
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

/** From the root, one name after the other, each below the one before it. */
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

/** Another process may have been quicker. */
function makeOne(path: string, mode: number): void {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
}

async function checkAround<T>(real: string, work: (at: string) => Promise<T>, { make }: HoldOptions): Promise<T> {
  requireReal(real);
  if (make !== undefined) makeDirectory(real, make);
  requireReal(real);
  const result = await work(real);
  requireReal(real);
  return result;
}

/** What does not exist yet is as real as its parent. */
function requireReal(path: string): void {
  let existing = path;
  while (existing !== '/' && !lstatSync(existing, { throwIfNoEntry: false })) existing = dirname(existing);
  if (realpathSync(existing) !== existing) throw new PathChanged(`${existing} is a link, or behind one`);
}
