import { randomBytes } from 'node:crypto';
import { lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FileLock, tryLock } from '../../config/file-lock.ts';
import { errorCode } from '../../util/error-code.ts';
import { makeDirectory } from '../../util/make-directory.ts';
import { HeddleError } from '../../wire/errors.ts';

/** The files of teams. Each call happens as a whole or not at all, whoever else is at them. */
export interface TeamFiles {
  /** Null when there is none. */
  read(path: string): Promise<string | null>;
  /** Resolves when the new text is on disk; null leaves the file alone. `change` may be asked more than once. */
  change(path: string, change: (text: string | null) => string | null): Promise<void>;
  /** The names in a directory; none when there is no such directory. */
  list(dir: string): Promise<string[]>;
  /** A directory with everything in it. */
  remove(dir: string): Promise<void>;
}

/** Longer than a lock that is left behind lasts: a process that died never makes a change fail. */
const WAIT_MS = 15_000;
const PAUSE_MS = 5;

/** On disk: for the user alone, under a lock that other processes keep to, each file replaced as a whole. */
export function lockedFiles(): TeamFiles {
  return {
    read: (path) => orIfMissing(readFile(path, 'utf8'), null),
    async change(path, change) {
      makeDirectory(dirname(path), 0o700);
      await underLock(path, (lock) => {
        const text = change(textOf(path));
        return text === null || replaceText(path, text, lock);
      });
    },
    list: (dir) => orIfMissing(readdir(dir), []),
    async remove(dir) {
      // Renamed first: who dies meanwhile leaves nothing that looks like a team.
      const gone = join(dirname(dir), `.removed-${randomBytes(8).toString('hex')}`);
      await rename(dir, gone);
      await rm(gone, { recursive: true, force: true });
    },
  };
}

/** `work` tells whether it came through; when the lock was taken away from it, it gets another go. */
async function underLock(path: string, work: (lock: FileLock) => boolean): Promise<void> {
  const deadline = Date.now() + WAIT_MS;
  for (;;) {
    const lock = tryLock(`${path}.lock`);
    if (lock !== null) {
      try {
        if (work(lock)) return;
      } finally {
        lock.release();
      }
    }
    if (Date.now() > deadline) throw new HeddleError('storage_failed', `${path}.lock is held by another process`);
    await sleep(PAUSE_MS);
  }
}

function textOf(path: string): string | null {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats) return null;
  if (!stats.isFile()) throw new HeddleError('storage_failed', `${path} is not a regular file`);
  return readFileSync(path, 'utf8');
}

/** False when the lock was lost: the file may have been changed since it was read. */
function replaceText(path: string, text: string, lock: FileLock): boolean {
  const temporary = join(dirname(path), `.${randomBytes(8).toString('hex')}.tmp`);
  try {
    writeFileSync(temporary, text, { mode: 0o600, flag: 'wx' });
    if (!lock.isHeld()) return false;
    renameSync(temporary, path);
    return true;
  } finally {
    rmSync(temporary, { force: true });
  }
}

async function orIfMissing<T, F>(read: Promise<T>, fallback: F): Promise<T | F> {
  try {
    return await read;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return fallback;
    throw error;
  }
}
