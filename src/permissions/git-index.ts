import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/**
 * Reads which files the repository around a directory tracks, from its index: `git diff` without a revision shows nothing else.
 * Their paths; none where there is no repository. Null for an index that is large, or has a form that is not read here.
 */
export function trackedFiles(directory: string): readonly string[] | null {
  let at = directory;
  for (let depth = 0; depth < MAX_DEPTH; depth++) {
    const own = gitDirectory(at);
    if (own === null) return null;
    if (own !== '') return namesIn(own, at);
    const parent = dirname(at);
    if (parent === at) return [];
    at = parent;
  }
  return null;
}

const MAX_DEPTH = 64;
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_SETTINGS = 64 * 1024;

/** Where the `.git` of a directory is; an empty text if it has none, and null if that cannot be told. */
function gitDirectory(directory: string): string | null {
  const path = join(directory, '.git');
  const content = readFile(path, MAX_SETTINGS);
  if (content === 'absent') return '';
  if (content === 'directory') return path;
  const [, target] = content === null ? [] : (/^gitdir: (.+?)\s*$/.exec(content.toString('utf8')) ?? []);
  return target === undefined ? null : resolve(directory, target);
}

function namesIn(gitDirectory: string, root: string): string[] | null {
  const index = readFile(join(gitDirectory, 'index'), MAX_BYTES);
  if (index === 'absent') return [];
  const settings = readFile(join(gitDirectory, 'config'), MAX_SETTINGS);
  // Names of another length stand before each path.
  const isOther = !Buffer.isBuffer(settings) || /objectformat|worktree|include/i.test(settings.toString('utf8'));
  if (!Buffer.isBuffer(index) || isOther) return null;
  return entriesOf(index)?.map((name) => join(root, name)) ?? null;
}

/** The directories in which a repository of their own is tracked; null where that cannot be told. */
export function submodulesIn(gitDirectory: string, root: string): string[] | null {
  const index = readFile(join(gitDirectory, 'index'), MAX_SCANNED);
  if (index === 'absent') return [];
  if (!Buffer.isBuffer(index)) return null;
  const modes: number[] = [];
  for (let at = index.indexOf(SUBMODULE); at !== -1; at = index.indexOf(SUBMODULE, at + 1)) modes.push(at);
  if (modes.length === 0) return [];
  return index.length > MAX_BYTES ? null : (entriesOf(index, modes)?.map((name) => join(root, name)) ?? null);
}

const MAX_SCANNED = 64 * 1024 * 1024;
/** The mode of such an entry, as it stands in the index. */
const SUBMODULE = Buffer.from([0, 0, 0xe0, 0]);
const MODE_AT = 24;

/** What stands before the path of an entry: times, numbers, the name of the object, flags. */
const BEFORE_PATH = 62;

/** The paths of an index of version 2 or 3; only those whose mode stands at one of these places, if any are given. */
function entriesOf(index: Buffer, modes?: readonly number[]): string[] | null {
  const version = index.length < 12 ? 0 : index.readUInt32BE(4);
  if (index.toString('latin1', 0, 4) !== 'DIRC' || (version !== 2 && version !== 3)) return null;
  const count = index.readUInt32BE(8);
  const names: string[] = [];
  const wanted = modes && new Set(modes);
  let at = 12;
  for (let entry = 0; entry < count; entry++) {
    if (at + BEFORE_PATH >= index.length) return null;
    const isExtended = (index.readUInt16BE(at + BEFORE_PATH - 2) & 0x4000) !== 0;
    const start = at + BEFORE_PATH + (isExtended ? 2 : 0);
    const end = index.indexOf(0, start);
    if (end <= start) return null;
    const name = index.toString('utf8', start, end);
    // A directory that stands for all files in it.
    if (name.endsWith('/')) return null;
    if (wanted?.has(at + MODE_AT) ?? true) names.push(name);
    at += Math.ceil((end + 1 - at) / 8) * 8;
  }
  return isSplit(index, at) ? null : names;
}

/** A part of the entries may be in another file: `link` is then among the extensions. */
function isSplit(index: Buffer, from: number): boolean {
  for (let at = from; at + 8 <= index.length - 20; at += 8 + index.readUInt32BE(at + 4)) {
    if (index.toString('latin1', at, at + 4) === 'link') return true;
  }
  return false;
}

/** The content of a small plain file; null for one that is none. Never waits for a pipe. */
function readFile(path: string, maxBytes: number): Buffer | 'absent' | 'directory' | null {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ENOENT' ? 'absent' : null;
  }
  try {
    const stat = fstatSync(file);
    if (stat.isDirectory()) return 'directory';
    if (!stat.isFile() || stat.size > maxBytes) return null;
    const buffer = Buffer.alloc(stat.size);
    return readSync(file, buffer, 0, stat.size, 0) === stat.size ? buffer : null;
  } catch {
    return null;
  } finally {
    closeSync(file);
  }
}
