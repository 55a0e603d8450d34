import { realpathSync } from 'node:fs';

/** The real path of what is there; null where nothing is, or where it cannot be looked at. */
export function existingPath(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}

/** The same; of what cannot be looked at, the path as it was given: whoever reads it then will say why. */
export function existingOrSame(path: string): string {
  return existingPath(path) ?? path;
}
