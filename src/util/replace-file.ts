import { randomBytes } from 'node:crypto';
import { rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Whole or not at all: `make` makes the new file, at the path it is given, and it is renamed over the old one. */
export async function replaceFile(path: string, make: (temporary: string) => Promise<void>): Promise<void> {
  // In the same folder, or a rename might lead from one file system to another.
  const temporary = join(dirname(path), `.heddle-${randomBytes(8).toString('hex')}.tmp`);
  try {
    await make(temporary);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
