import { type Dirent, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { FileBelow, FilesBelow } from '../policy.ts';

/**
 * Makes the function that lists them. Several rules ask about the same directory for one decision: an answer counts for the
 * next moment, by the clock that is given (milliseconds).
 */
export function createFilesBelow(now: () => number): FilesBelow {
  const known = new Map<string, readonly FileBelow[] | null>();
  let listedAt = Number.NEGATIVE_INFINITY;
  return (directory) => {
    if (now() - listedAt > COUNTS_MS) known.clear();
    if (known.size === 0) listedAt = now();
    const answer = known.get(directory) ?? (known.has(directory) ? null : listFiles(directory));
    known.set(directory, answer);
    return answer;
  };
}

const COUNTS_MS = 100;
/** Listing them takes about 10 ms, and nothing else runs meanwhile. */
const MAX_NAMES = 3000;

function listFiles(directory: string): FileBelow[] | null {
  const files: FileBelow[] = [];
  const waiting = [directory];
  let names = 0;
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const entries = entriesOf(path);
    if (entries === null) return null;
    if (entries === 'file') files.push({ path, kind: 'link' });
    else {
      names += entries.length;
      if (names > MAX_NAMES) return null;
      for (const entry of entries) {
        const below = join(path, entry.name);
        if (entry.isSymbolicLink() && leadsToDirectory(below)) return null;
        const kind = entry.isDirectory() ? 'directory' : entry.isSymbolicLink() ? 'link' : 'file';
        files.push({ path: below, kind });
        // What git stores there has no names of its own.
        if (kind === 'directory' && !(entry.name === 'objects' && path.endsWith('/.git'))) waiting.push(below);
      }
    }
  }
  return files;
}

function entriesOf(path: string): Dirent[] | 'file' | null {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : '';
    if (code === 'ENOENT') return [];
    return code === 'ENOTDIR' ? 'file' : null;
  }
}

function leadsToDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
