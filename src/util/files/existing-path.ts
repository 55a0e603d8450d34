import { realpathSync } from 'node:fs';

/** The real path of an existing file; null where it is missing or there is no access. */
export function existingPath(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}

/**
 * The real path of an existing file; the given path where there is no access, so that a later read reports the reason.
 */
export function existingOrSame(path: string): string {
  return existingPath(path) ?? path;
}
