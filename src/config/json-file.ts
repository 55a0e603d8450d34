import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { existingOrSame } from '../util/files/existing-path.ts';
import { makeDirectory } from '../util/files/make-directory.ts';
import type { JsonObject } from '../util/json.ts';
import { messageOf } from '../util/message-of.ts';
import { type FileLock, replaceLocked, tryLock, underLock, whenFree } from './file-lock.ts';
import { type Change, readSettingsFile, refuseSettings } from './settings/settings-file.ts';

export type { Change } from './settings/settings-file.ts';

/**
 * Changes a JSON file atomically, without losing changes of other processes: under a lock it reads the file, writes a
 * new file next to it and renames that. A link stays a link, and the file keeps its mode; only the user may read a new
 * file. Rejects with `invalid_settings` when the file cannot be read or written; a throw of `change` passes through.
 */
export async function changeJsonFile(given: string, change: Change): Promise<void> {
  writing(given, () => makeDirectory(dirname(given), 0o700));
  const path = existingOrSame(given);
  const take = () => writing(path, () => tryLock(`${path}.lock`));
  const attempt = () =>
    underLock(take(), (lock) => {
      const next = change(readSettingsFile(path) ?? {});
      return next === null || replaceValues(path, next, lock);
    });
  await whenFree(path, attempt, refuseSettings);
}

/** Null when the lock was lost. */
function replaceValues(path: string, values: JsonObject, lock: FileLock): true | null {
  const text = `${JSON.stringify(values, null, 2)}\n`;
  return writing(path, () => {
    const mode = (statSync(path, { throwIfNoEntry: false })?.mode ?? 0o600) & 0o777;
    return replaceLocked(path, text, { lock, mode });
  });
}

/** Turns a system error into an error that names the file and a remedy. */
function writing<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const remedy = 'Make its directory writable; HEDDLE_HOME names another config home.';
    const [reason] = messageOf(error).split(', '); // without the name of a temporary file
    throw refuseSettings(`${path} cannot be written: ${reason}. ${remedy}`, error);
  }
}
