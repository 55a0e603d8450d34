import { link, open, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { backupName, type Checkpoint, isBackupName } from '../../sessions/tree/checkpoint-entries.ts';
import { errorCode } from '../../util/error-code.ts';
import { holdContent } from '../../util/files/hold-path.ts';
import { makeDirectory } from '../../util/files/make-directory.ts';
import type { FileBackup } from '../../wire/entries.ts';
import { copyWhole, type FileMark, isLikeCopy, isSameMark, markOf } from './file-marks.ts';

/** The largest file that tools can edit. */
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * The saved copies of one session: a private folder, made with the first copy. A copy has the mode of its file and
 * never changes.
 */
export class Backups {
  readonly #folder: string;
  /** The time in the form of entries. */
  readonly #now: () => string;
  /** By path: the highest number in use, on any branch. */
  readonly #versions = new Map<string, number>();
  /** By path: the mark of the file when its latest copy was made. */
  readonly #marks = new Map<string, FileMark>();
  readonly #made: string[] = [];

  constructor(folder: string, now: () => string) {
    this.#folder = folder;
    this.#now = now;
  }

  /** Continues the numbers of existing copies. */
  noteVersions(history: readonly Checkpoint[]): void {
    for (const { files } of history) for (const [path, { version }] of files) this.#noteVersion(path, version);
  }

  /** The path of a copy; null for an invalid name. */
  locate(name: string): string | null {
    return isBackupName(name) ? join(this.#folder, name) : null;
  }

  /** Saves the present state of a file. `at`: another path that leads to it. */
  async save(path: string, at = path): Promise<FileBackup> {
    const mark = markOf(at);
    if (mark === null) return this.absent(path);
    if (mark === undefined) throw new Error(`${path} cannot be looked at`);
    const backup = await this.#add(path, (target) => holdContent(at, (source) => copyWhole(source, target)));
    this.#marks.set(path, mark);
    return backup;
  }

  /** Saves an earlier copy as the state of a file. */
  adopt(copy: string, path: string): Promise<FileBackup> {
    return this.#add(path, async (target) => {
      // A hard link needs no space on a disk that may be full by now.
      await link(copy, target).catch((error) => {
        if (errorCode(error) === 'EEXIST') throw error;
        return copyWhole(copy, target);
      });
    });
  }

  /** For a file that does not exist. */
  absent(path: string): FileBackup {
    return this.#backup(path, null, this.#nextVersion(path));
  }

  /** The backup for another checkpoint: the last one while the file is the same. Null: the file cannot be saved. */
  async renew(path: string, last: FileBackup): Promise<FileBackup | null> {
    const now = markOf(path);
    if (now === null) return last.backupFileName === null ? last : this.absent(path);
    if (now && (await this.#isUnchanged(path, now, last))) return last;
    if (now?.kind !== 'file' || now.size > MAX_BYTES || !(await isReadable(path))) return null;
    return this.save(path);
  }

  /** Copies the backups of another session. Lost ones stay missing. */
  async inherit(from: Backups, names: Iterable<string>): Promise<void> {
    for (const name of names) {
      const [source, target] = [from.locate(name), this.locate(name)];
      if (!source || !target) continue;
      makeDirectory(this.#folder, 0o700);
      await link(source, target).catch(() => copyWhole(source, target).catch(() => {}));
    }
  }

  /** Removes the copies that this run has made. */
  async forget(): Promise<void> {
    for (const path of this.#made.splice(0)) await rm(path, { force: true });
  }

  /** Removes the folder if it is empty. */
  async tidy(): Promise<void> {
    await rmdir(this.#folder).catch(() => {});
  }

  async #add(path: string, put: (target: string) => Promise<void>): Promise<FileBackup> {
    makeDirectory(this.#folder, 0o700);
    for (let version = this.#nextVersion(path); ; version++) {
      const name = backupName(path, version);
      const target = join(this.#folder, name);
      try {
        await put(target);
        this.#made.push(target);
        return this.#backup(path, name, version);
      } catch (error) {
        if (errorCode(error) !== 'EEXIST') throw error; // another run of this session has taken the number
      }
    }
  }

  async #isUnchanged(path: string, now: FileMark, { backupFileName }: FileBackup): Promise<boolean> {
    const copy = backupFileName === null ? null : this.locate(backupFileName);
    if (copy === null) return false;
    const mark = this.#marks.get(path);
    if (mark && isSameMark(mark, now)) return true;
    if (!(await isLikeCopy(path, now, copy).catch(() => false))) return false;
    this.#marks.set(path, now);
    return true;
  }

  #backup(path: string, backupFileName: string | null, version: number): FileBackup {
    this.#noteVersion(path, version);
    return { backupFileName, version, backupTime: this.#now() };
  }

  #nextVersion(path: string): number {
    return (this.#versions.get(path) ?? 0) + 1;
  }

  #noteVersion(path: string, version: number): void {
    this.#versions.set(path, Math.max(version, this.#versions.get(path) ?? 0));
  }
}

/** Tries to read the file: only that shows what the user of this process may read. */
async function isReadable(path: string): Promise<boolean> {
  const file = await open(path, 'r').catch(() => null);
  await file?.close();
  return file !== null;
}
