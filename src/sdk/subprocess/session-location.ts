import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { findConfigHome } from '../../util/own/config-home.ts';
import { HeddleError } from '../../wire/errors.ts';

/**
 * The config home that the caller names, else the one of this process. Throws `invalid_option` where there is none, and
 * `invalid_settings` for a variable that cannot name one.
 */
export function homeOf({ home }: { home?: string }): string {
  if (home !== undefined) return home;
  const found = findConfigHome(process.env);
  if (!found) {
    const message = 'There is no place for sessions: set HEDDLE_HOME or HOME';
    throw new HeddleError('invalid_option', message, { facts: { option: 'home' } });
  }
  if ('problem' in found) throw new HeddleError('invalid_settings', found.problem);
  return found.path;
}

/** The real path of a project's directory. A directory that no longer exists still has its sessions. */
export function realPath(dir: string): string {
  try {
    return realpathSync(dir);
  } catch {
    return resolve(dir);
  }
}
