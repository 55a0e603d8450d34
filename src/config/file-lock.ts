import { randomBytes } from 'node:crypto';
import { linkSync, lstatSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorCode } from '../util/error-code.ts';
import { isObject, tryParseJson } from '../util/json.ts';
import { hasEnded, type ProcessName, thisProcess } from '../util/process/process-alive.ts';
import { refuseSettings } from './settings/settings-file.ts';

/**
 * A lock older than this counts as abandoned: its process may be on another host, or its process id in use again. Work
 * under a lock takes milliseconds.
 */
const STALE_MS = 10_000;
const MAX_BYTES = 4096;

export interface FileLock {
  /** False when the work took so long that another process removed the lock. */
  isHeld(): boolean;
  /** Makes the lock young again, for work that takes long. */
  renew(): void;
  release(): void;
}

/** Takes the lock; null when it is not free. Removes the lock of a dead process, so that the next try may succeed. */
export function tryLock(path: string): FileLock | null {
  const id = randomBytes(8).toString('hex');
  if (create(path, { id, ...thisProcess() })) {
    const isHeld = () => readOwner(path)?.id === id;
    return {
      isHeld,
      renew() {
        try {
          if (isHeld()) utimesSync(path, new Date(), new Date());
        } catch {
          // It is lost, which `isHeld` says.
        }
      },
      release() {
        if (isHeld()) rmSync(path, { force: true });
      },
    };
  }
  const owner = readOwner(path);
  if (owner?.isGone) removeLeft(path, owner.id);
  return null;
}

/** Longer than an abandoned lock lasts, so that a dead process never makes a caller fail. */
const WAIT_MS = 15_000;
const PAUSE_MS = 5;

/**
 * Repeats an attempt to work under the lock of a file until it has a result; null means that the lock was not free, or
 * was lost. Throws the error that `refuse` makes when another process holds the lock for too long.
 */
export async function whenFree<T>(
  path: string,
  attempt: () => T | null,
  refuse: (message: string) => Error,
): Promise<T> {
  const deadline = Date.now() + WAIT_MS;
  for (;;) {
    const result = attempt();
    if (result !== null) return result;
    if (Date.now() > deadline) throw refuse(`${path}.lock is held by another process`);
    await sleep(PAUSE_MS);
  }
}

/**
 * Works under a lock and releases it, synchronously, so that this process never waits for itself. Null without the
 * lock.
 */
export function underLock<T>(lock: FileLock | null, work: (lock: FileLock) => T | null): T | null {
  if (!lock) return null;
  try {
    return work(lock);
  } finally {
    lock.release();
  }
}

/**
 * Replaces a file as a whole. Null when the lock was lost, and then nothing changes: another process may have changed
 * the file since it was read.
 */
export function replaceLocked(
  path: string,
  text: string,
  { lock, mode }: { lock: FileLock; mode: number },
): true | null {
  const temporary = join(dirname(path), `.${randomBytes(8).toString('hex')}.tmp`);
  try {
    writeFileSync(temporary, text, { mode, flag: 'wx' });
    if (!lock.isHeld()) return null;
    renameSync(temporary, path);
    return true;
  } finally {
    rmSync(temporary, { force: true });
  }
}

/**
 * Two processes may find the same abandoned lock, and the second must not remove the new lock. So a process that
 * removes a lock holds another lock, named after it, and checks again.
 */
function removeLeft(path: string, id: string): void {
  const right = tryLock(`${path}.${id}`);
  if (!right) return;
  try {
    if (readOwner(path)?.id === id) rmSync(path, { force: true });
  } finally {
    right.release();
  }
}

/** The lock file appears with its full content: an empty lock of a killed process could only be judged by its age. */
function create(path: string, holder: ProcessName & { id: string }): boolean {
  const whole = `${path}.${holder.id}.new`;
  const text = JSON.stringify(holder);
  try {
    writeFileSync(whole, text, { mode: 0o600, flag: 'wx' });
    moveInto(path, whole, text);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw refuseSettings(`${path} cannot be written: ${(error as Error).message}`, error);
  } finally {
    rmSync(whole, { force: true });
  }
}

/** Throws EEXIST when there is a lock. Not all file systems support links. */
function moveInto(path: string, whole: string, text: string): void {
  try {
    linkSync(whole, path);
  } catch (error) {
    if (!NO_LINKS.has(errorCode(error))) throw error;
    writeFileSync(path, text, { mode: 0o600, flag: 'wx' });
  }
}

const NO_LINKS: ReadonlySet<unknown> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

interface LockOwner {
  /** Unique for each lock. */
  id: string;
  isGone: boolean;
}

/** Null when there is no lock. A project may have put another file at this path: a pipe, a link, an endless file. */
function readOwner(path: string): LockOwner | null {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats) return null;
  if (!stats.isFile() || stats.size > MAX_BYTES) throw refuseSettings(`${path} is in the way: it is no lock`);
  const isOld = Date.now() - stats.mtimeMs > STALE_MS;
  const said = tryParseJson(contentOf(path));
  if (isOwner(said)) return { id: said.id, isGone: isOld || hasEnded(said) };
  // The process died before it wrote its name, or has not written it yet: only the age of the lock counts.
  return { id: `${stats.ino}-${Math.trunc(stats.mtimeMs)}`, isGone: isOld };
}

/** Empty when the file was removed meanwhile. */
function contentOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function isOwner(said: unknown): said is ProcessName & { id: string } {
  return (
    isObject(said) && typeof said.pid === 'number' && typeof said.host === 'string' && /^\w+$/.test(String(said.id))
  );
}
