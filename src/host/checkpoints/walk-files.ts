import { type Dirent, lstatSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setImmediate as nextRound } from 'node:timers/promises';
import { abortReason } from '../../util/abort.ts';
import { isInsideAny } from '../../util/files/path-inside.ts';
import { type FileMark, markOf } from './file-marks.ts';

export interface WalkOptions {
  /** Directories to leave out. */
  skip: readonly string[];
  /** The number of names to look at. */
  limit: number;
  signal?: AbortSignal;
}

export interface Walk {
  files: Map<string, FileMark>;
  /** Directories that could not be read. */
  unread: string[];
  /** False: the limit ended the walk. */
  complete: boolean;
}

/** Folders of version control and of installed packages: large, and not part of the user's work. */
const LEFT_OUT = new Set(['.git', '.hg', '.svn', '.jj', 'node_modules']);
/** The number of names per portion, after which other work gets its turn. */
const PORTION = 500;

/**
 * Finds the files and links below the roots, by absolute path. Does not follow links. Works synchronously in portions:
 * a promise for each file would cost several times as much as the file system itself.
 */
export async function walkFiles(roots: readonly string[], { skip, limit, signal }: WalkOptions): Promise<Walk> {
  const files = new Map<string, FileMark>();
  const unread: string[] = [];
  const wanted = roots.filter((root) => !skip.includes(root));
  const pending = wanted.filter((root) => !isInsideAny(wanted.filter(isNot(root)), root));
  let count = 0;
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    const names = namesIn(folder);
    if (!names) unread.push(folder);
    for (const entry of names ?? []) {
      if (++count > limit) return { files, unread, complete: false };
      if (count % PORTION === 0) await nextRound();
      if (signal?.aborted) throw abortReason(signal);
      const path = join(folder, entry.name);
      if (isDirectory(entry, path)) {
        if (!LEFT_OUT.has(basename(path)) && !skip.includes(path)) pending.push(path);
        continue;
      }
      const mark = markOf(path);
      if (mark) files.set(path, mark);
    }
  }
  return { files, unread, complete: true };
}

function namesIn(folder: string): Dirent[] | null {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return null;
  }
}

/** Some file systems do not tell the kind of a name. */
function isDirectory(entry: Dirent, path: string): boolean {
  if (entry.isDirectory()) return true;
  if (entry.isFile() || entry.isSymbolicLink() || entry.isFIFO() || entry.isSocket()) return false;
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function isNot(root: string): (other: string) => boolean {
  return (other) => other !== root;
}
