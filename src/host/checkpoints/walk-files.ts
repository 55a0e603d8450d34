import { type Dirent, lstatSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setImmediate as nextRound } from 'node:timers/promises';
import { isInsideAny } from '../permissions/paths.ts';
import { abortReason } from '../util/abort.ts';
import { type FileMark, markOf } from './checkpoint-marks.ts';

export interface WalkOptions {
  /** Directories that are left out. */
  skip: readonly string[];
  /** How many names may be looked at. */
  limit: number;
  signal?: AbortSignal;
}

export interface Walk {
  files: Map<string, FileMark>;
  /** Directories that could not be read. */
  unread: string[];
  /** False when the limit ended it. */
  complete: boolean;
}

/** What belongs to version control or is installed: large, and not what anybody works on. */
const LEFT_OUT = new Set(['.git', '.hg', '.svn', '.jj', 'node_modules']);
/** How many names are looked at before others get their turn. */
const PORTION = 500;

/**
 * The files and links below the roots, by absolute path. Links are not followed. Synchronous in portions: a promise for
 * each file would cost several times as much as asking the file system.
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

/** Some file systems do not say what a name is. */
function isDirectory(entry: Dirent, path: string): boolean {
  if (entry.isDirectory()) return true;
  if (entry.isFile() || entry.isSymbolicLink() || entry.isFIFO() || entry.isSocket()) return false;
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function isNot(root: string): (other: string) => boolean {
  return (other) => other !== root;
}
