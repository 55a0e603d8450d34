import { rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/**
 * Replaces a file atomically: `make` writes the new file at the path that it gets, which is then renamed over the old
 * one.
 */
export async function replaceFile(path: string, make: (temporary: string) => Promise<void>): Promise<void> {
  // Loaded here, because a list of sessions comes past this file, too, and would pay for it.
  const { randomBytes } = await import('node:crypto');
  // In the same folder, because a rename cannot cross file systems.
  const temporary = join(dirname(path), `.heddle-${randomBytes(8).toString('hex')}.tmp`);
  try {
    await make(temporary);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Replaces a text file that only the user may read. */
export function replacePrivateText(path: string, text: string): Promise<void> {
  return replaceFile(path, (temporary) => writeFile(temporary, text, { flag: 'wx', mode: 0o600 }));
}
