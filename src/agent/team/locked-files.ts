import { randomBytes } from 'node:crypto';
import { lstatSync, readFileSync } from 'node:fs';
import { readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { replaceLocked, tryLock, underLock, whenFree } from '../../config/file-lock.ts';
import { makeDirectory } from '../../util/files/make-directory.ts';
import { orIfMissing } from '../../util/files/or-if-missing.ts';
import { HeddleError } from '../../wire/errors.ts';

/** The files of teams. Each call is atomic, also against other processes. */
export interface TeamFiles {
  /** Null when the file does not exist. */
  read(path: string): Promise<string | null>;
  /** Resolves when the new text is on disk; null leaves the file alone. `change` may be called more than once. */
  change(path: string, change: (text: string | null) => string | null): Promise<void>;
  /** The names in a directory; none when there is no such directory. */
  list(dir: string): Promise<string[]>;
  /** Removes a directory with everything in it. */
  remove(dir: string): Promise<void>;
}

/** On disk: for the user alone, under a lock that other processes keep to, each file replaced as a whole. */
export function lockedFiles(): TeamFiles {
  return {
    read: (path) => orIfMissing(readFile(path, 'utf8'), null),
    async change(path, change) {
      makeDirectory(dirname(path), 0o700);
      const attempt = () =>
        underLock(tryLock(`${path}.lock`), (lock) => {
          const text = change(textOf(path));
          return text === null || replaceLocked(path, text, { lock, mode: 0o600 });
        });
      await whenFree(path, attempt, (message) => new HeddleError('storage_failed', message));
    },
    list: (dir) => orIfMissing(readdir(dir), []),
    async remove(dir) {
      // Renamed first, so that a process that dies meanwhile leaves nothing that looks like a team.
      const gone = join(dirname(dir), `.removed-${randomBytes(8).toString('hex')}`);
      await rename(dir, gone);
      await rm(gone, { recursive: true, force: true });
    },
  };
}

function textOf(path: string): string | null {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats) return null;
  if (!stats.isFile()) throw new HeddleError('storage_failed', `${path} is not a regular file`);
  return readFileSync(path, 'utf8');
}
