import { randomBytes } from 'node:crypto';
import { renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { existingOrSame } from '../util/existing-path.ts';
import type { JsonObject } from '../util/json.ts';
import { makeDirectory } from '../util/make-directory.ts';
import { messageOf } from '../util/message-of.ts';
import { type FileLock, tryLock } from './file-lock.ts';
import { readSettingsFile, refuseSettings } from './settings-file.ts';

/** Longer than a lock that is left behind lasts: a process that died never makes an update fail. */
const WAIT_MS = 15_000;
const PAUSE_MS = 5;

/** The file's values to its new ones; null leaves the file alone. Asked again when the lock was lost meanwhile. */
export type Change = (values: JsonObject) => JsonObject | null;

/**
 * Changes a JSON file so that nobody ever sees half of it and no change of another process gets lost: under a lock the
 * file is read, changed, written beside itself and renamed. A file that is a link stays one, and keeps its mode; a new one
 * is for the user alone. Rejects with `invalid_settings` when it cannot be read or written; what `change` throws passes.
 */
export async function changeJsonFile(given: string, change: Change): Promise<void> {
  writing(given, () => makeDirectory(dirname(given), 0o700));
  const path = existingOrSame(given);
  const deadline = Date.now() + WAIT_MS;
  while (!tryChange(path, change)) {
    if (Date.now() > deadline) throw refuseSettings(`${path}.lock is held by another process`);
    await sleep(PAUSE_MS);
  }
}

/** In one go, so that this process never waits for itself. False while it is another's turn. */
function tryChange(path: string, change: Change): boolean {
  const lock = writing(path, () => tryLock(`${path}.lock`));
  if (!lock) return false;
  try {
    const next = change(readSettingsFile(path) ?? {});
    return next === null || replaceFile(path, `${JSON.stringify(next, null, 2)}\n`, lock);
  } finally {
    lock.release();
  }
}

/** What the system says to it becomes an error that says which file, and what to do. */
function writing<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const remedy = 'Make its directory writable; HEDDLE_HOME names another config home.';
    const [reason] = messageOf(error).split(', '); // without the name of a temporary file
    throw refuseSettings(`${path} cannot be written: ${reason}. ${remedy}`, error);
  }
}

/** False when the lock was lost: the file may have been changed since it was read. */
function replaceFile(path: string, text: string, lock: FileLock): boolean {
  const mode = (statSync(path, { throwIfNoEntry: false })?.mode ?? 0o600) & 0o777;
  const temporary = join(dirname(path), `.${randomBytes(8).toString('hex')}.tmp`);
  try {
    writeFileSync(temporary, text, { mode, flag: 'wx' });
    const isHeld = lock.isHeld();
    if (isHeld) renameSync(temporary, path);
    else rmSync(temporary);
    return isHeld;
  } catch (error) {
    rmSync(temporary, { force: true });
    return writing(path, () => {
      throw error;
    });
  }
}
