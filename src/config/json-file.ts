import { randomBytes } from 'node:crypto';
import { closeSync, openSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { errorCode } from '../util/error-code.ts';
import type { JsonObject } from '../util/json.ts';
import { makeDirectory } from '../util/make-directory.ts';
import { readSettingsFile, refuseSettings } from './settings-file.ts';

/** A lock older than this was left behind by a process that died. Updates take milliseconds. */
const STALE_MS = 10_000;
/** Longer than that: what a dead process left behind never makes an update fail. */
const WAIT_MS = 15_000;

/**
 * Changes a JSON file so that nobody ever sees half of it and no change of another process gets lost: under a lock the
 * file is read, changed, written beside itself and renamed. A file that is a link stays one, and keeps its mode; a new one
 * is for the user alone. Null leaves it alone. Throws `invalid_settings` when it cannot be read or written; what `change`
 * throws passes.
 */
export function updateJsonFile(given: string, change: (values: JsonObject) => JsonObject | null): void {
  makeDirectory(dirname(given), 0o700);
  const path = targetOf(given);
  const release = lock(`${path}.lock`);
  try {
    const next = change(readSettingsFile(path) ?? {});
    if (next !== null) replaceFile(path, `${JSON.stringify(next, null, 2)}\n`);
  } finally {
    release();
  }
}

function targetOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path; // not there yet
  }
}

function replaceFile(path: string, text: string): void {
  const mode = (statSync(path, { throwIfNoEntry: false })?.mode ?? 0o600) & 0o777;
  const temporary = join(dirname(path), `.${randomBytes(8).toString('hex')}.tmp`);
  try {
    writeFileSync(temporary, text, { mode, flag: 'wx' });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw refuseSettings(`${path} cannot be written: ${(error as Error).message}`, error);
  }
}

/** Waits for its turn; settings are changed rarely and quickly, so that holding up the process is no harm. */
function lock(path: string): () => void {
  const deadline = Date.now() + WAIT_MS;
  for (;;) {
    try {
      closeSync(openSync(path, 'wx', 0o600));
      return () => rmSync(path, { force: true });
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw refuseSettings((error as Error).message, error);
    }
    if (ageOf(path) > STALE_MS) rmSync(path, { force: true });
    else if (Date.now() > deadline) throw refuseSettings(`${path} is held by another process`);
    else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
  }
}

function ageOf(path: string): number {
  return Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
}
