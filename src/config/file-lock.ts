import { randomBytes } from 'node:crypto';
import { linkSync, lstatSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { errorCode } from '../util/error-code.ts';
import { isObject, tryParseJson } from '../util/json.ts';
import { hasEnded, type ProcessName, thisProcess } from '../util/process-alive.ts';
import { refuseSettings } from './settings-file.ts';

/**
 * A lock older than this counts as left behind, whoever holds it: its process may be on another host, or its number in
 * use again. What is done under a lock takes milliseconds.
 */
const STALE_MS = 10_000;
const MAX_BYTES = 4096;

export interface FileLock {
  /** False when it took so long that another process has taken the lock away. */
  isHeld(): boolean;
  release(): void;
}

/** Takes the lock; null when it is not free. One that a dead process left is removed, so that the next try may succeed. */
export function tryLock(path: string): FileLock | null {
  const id = randomBytes(8).toString('hex');
  if (create(path, { id, ...thisProcess() })) {
    const isHeld = () => readHolder(path)?.id === id;
    return {
      isHeld,
      release() {
        if (isHeld()) rmSync(path, { force: true });
      },
    };
  }
  const holder = readHolder(path);
  if (holder?.isGone) removeLeft(path, holder.id);
  return null;
}

/**
 * Two processes may find the same lock left behind, and the second must not remove the one that came in its place. So who
 * removes it holds a lock named after it meanwhile, and looks again.
 */
function removeLeft(path: string, id: string): void {
  const right = tryLock(`${path}.${id}`);
  if (!right) return;
  try {
    if (readHolder(path)?.id === id) rmSync(path, { force: true });
  } finally {
    right.release();
  }
}

/** The lock appears with all that it says: of one that is empty, because its process was killed, only the age could tell. */
function create(path: string, holder: ProcessName & { id: string }): boolean {
  const whole = `${path}.${holder.id}.new`;
  const text = JSON.stringify(holder);
  try {
    writeFileSync(whole, text, { mode: 0o600, flag: 'wx' });
    placeAs(path, whole, text);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw refuseSettings(`${path} cannot be written: ${(error as Error).message}`, error);
  } finally {
    rmSync(whole, { force: true });
  }
}

/** Throws EEXIST when there is a lock. Not all file systems have links. */
function placeAs(path: string, whole: string, text: string): void {
  try {
    linkSync(whole, path);
  } catch (error) {
    if (!NO_LINKS.has(errorCode(error))) throw error;
    writeFileSync(path, text, { mode: 0o600, flag: 'wx' });
  }
}

const NO_LINKS: ReadonlySet<unknown> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

interface Holder {
  /** No two locks have the same. */
  id: string;
  isGone: boolean;
}

/** Null when there is no lock. A project may have put something else in its place: a pipe, a link, an endless file. */
function readHolder(path: string): Holder | null {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats) return null;
  if (!stats.isFile() || stats.size > MAX_BYTES) throw refuseSettings(`${path} is in the way: it is no lock`);
  const isOld = Date.now() - stats.mtimeMs > STALE_MS;
  const said = tryParseJson(contentOf(path));
  if (isHolder(said)) return { id: said.id, isGone: isOld || hasEnded(said) };
  // Its process has died before it could say who it is, or has not yet: only its age tells.
  return { id: `${stats.ino}-${Math.trunc(stats.mtimeMs)}`, isGone: isOld };
}

/** Empty when it has gone meanwhile. */
function contentOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function isHolder(said: unknown): said is ProcessName & { id: string } {
  return (
    isObject(said) && typeof said.pid === 'number' && typeof said.host === 'string' && /^\w+$/.test(String(said.id))
  );
}
