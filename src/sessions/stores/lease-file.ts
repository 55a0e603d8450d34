import { lstatSync, readFileSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorCode } from '../../util/error-code.ts';
import { makeDirectory } from '../../util/files/make-directory.ts';
import { isObject, tryParseJson } from '../../util/json.ts';
import { isGone, type ProcessIdentity } from '../../util/process/process-identity.ts';

/** The content of a lease file. */
export interface LeaseRecord extends ProcessIdentity {
  /** ISO 8601. */
  since: string;
  /** Unique for each lease. */
  token: string;
}

/** A holder on another machine cannot be checked; it counts as dead when it has not touched its file for this long. */
const SILENT_MS = 120_000;
/** A file without a record: its creator has died before writing it, or is about to write it. */
const UNWRITTEN_MS = 10_000;
const MAX_BYTES = 4096;
/** Each further try means that another process was quicker. */
const MAX_TRIES = 200;
const PAUSE_MS = 5;

/**
 * Takes the lease, also from a dead holder. Resolves with null, or with the record of the holder. System errors are
 * thrown unchanged.
 */
export async function takeLease(path: string, record: LeaseRecord): Promise<LeaseRecord | null> {
  makeDirectory(dirname(path), 0o700);
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    if (create(path, record)) return null;
    const found = readLease(path);
    if (found && !isLeft(found)) return found.record;
    if (found) await removeLeft(path, found.record.token, record);
  }
  throw new Error('its lease changes hands all the time');
}

export function holdsLease(path: string, token: string): boolean {
  return readLease(path)?.record.token === token;
}

/** Shows others that the holder is alive. */
export function touchLease(path: string): void {
  const now = Date.now() / 1000;
  utimesSync(path, now, now);
}

/** Releases a lease, unless another process took it over. */
export function dropLease(path: string, token: string): void {
  if (holdsLease(path, token)) remove(path);
}

/**
 * Two processes may find the same abandoned lease, and the slower one must not remove the new lease of the quicker one.
 * So removing it requires a separate lease, named after the abandoned one, and its holder checks again.
 */
async function removeLeft(path: string, token: string, taker: LeaseRecord): Promise<void> {
  const right = `${path}.${token}`;
  if ((await takeLease(right, taker)) !== null) return sleep(PAUSE_MS);
  try {
    if (holdsLease(path, token)) remove(path);
  } finally {
    dropLease(right, taker.token);
  }
}

function create(path: string, record: LeaseRecord): boolean {
  try {
    writeFileSync(path, JSON.stringify(record), { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    // On a full disk the file can be created but not written.
    if (lstatSync(path, { throwIfNoEntry: false })?.size === 0) remove(path);
    throw error;
  }
  // A process that was suspended for very long may have been taken for dead.
  return holdsLease(path, record.token);
}

interface ReadLease {
  record: LeaseRecord;
  touchedMs: number;
  isUnwritten: boolean;
}

/** Whether its holder is dead, or silent for so long that it counts as dead. */
export function isLeft({ record, touchedMs, isUnwritten }: ReadLease): boolean {
  const silentMs = Date.now() - touchedMs;
  if (isUnwritten) return silentMs > UNWRITTEN_MS;
  return isGone(record) ?? silentMs > SILENT_MS;
}

/** Null when there is no lease. Throws if something else is at the path. */
export function readLease(path: string): ReadLease | null {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats) return null;
  if (!stats.isFile() || stats.size > MAX_BYTES) throw new Error(`${path} is in the way: it is no lease`);
  const record = tryParseJson(contentOf(path));
  if (isRecord(record)) return { record, touchedMs: stats.mtimeMs, isUnwritten: false };
  const since = new Date(stats.mtimeMs).toISOString();
  const unknown = { pid: 0, host: 'an unknown host', since, token: `${stats.ino}-${Math.trunc(stats.mtimeMs)}` };
  return { record: unknown, touchedMs: stats.mtimeMs, isUnwritten: true };
}

/** Empty when the file has been removed meanwhile. */
function contentOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return '';
    throw error;
  }
}

function isRecord(value: unknown): value is LeaseRecord {
  if (!isObject(value) || !Number.isSafeInteger(value.pid)) return false;
  const { host, since, token, space, started } = value;
  if (typeof host !== 'string' || typeof since !== 'string' || !/^[\w-]{1,64}$/.test(String(token))) return false;
  return [space, started].every((detail) => detail === undefined || typeof detail === 'string');
}

function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
}
