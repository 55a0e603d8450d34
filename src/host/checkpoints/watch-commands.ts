import { lstat, readdir, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { locationOf, nodeRealPath } from '../../permissions/real-path.ts';
import { abortReason } from '../../util/abort.ts';
import { errorCode } from '../../util/error-code.ts';
import { makeDirectory } from '../../util/files/make-directory.ts';
import { isInsideAny } from '../../util/files/path-inside.ts';
import { messageOf } from '../../util/message-of.ts';
import { copyWhole, type FileMark, isLikeCopy, isSameMark, markOf } from './file-marks.ts';
import { type Walk, walkFiles } from './walk-files.ts';

export interface WatchLimits {
  /** The number of names below the roots. With more names, commands are not watched. */
  names: number;
  /** The size of one copy. */
  fileBytes: number;
  /** The size of all copies together. */
  totalBytes: number;
}

export const WATCH_LIMITS: WatchLimits = {
  names: 20_000,
  fileBytes: 10 * 1024 * 1024,
  totalBytes: 256 * 1024 * 1024,
};

export interface WatchOptions {
  roots: () => readonly string[];
  /** Heddle's own directories below the roots. */
  skip: readonly string[];
  /** The folder of the copies; made when needed, removed by `close`. Its parent holds only such folders. */
  folder: string;
  limits: WatchLimits;
  /** Logs a warning; each text once. */
  warn: (message: string) => void;
}

/** A file that changed between two looks. */
export interface Change {
  path: string;
  /**
   * A copy of the earlier state. Null: there was no file. Undefined: there is no copy, so that the file cannot be
   * restored.
   */
  copy: string | null | undefined;
}

export interface Look {
  /** True for files whose state is saved elsewhere: they need no copy. Called after `take`. */
  isSaved: (path: string) => boolean;
  /** Takes the changes since the last look. Absent: the changes are not the session's. */
  take?: (changes: Change[]) => Promise<void>;
  signal?: AbortSignal;
}

interface Known {
  mark: FileMark;
  /** Undefined: the file is a link, or was not copied. */
  copy?: string;
}

/** The number of parallel copies: enough for the thread pool of Node, with some in reserve. */
const AT_ONCE = 16;
/** The clock of a file system has coarse steps, and may lag behind by one of them. */
const CLOCK_STEP_MS = 20;

/**
 * Finds the files that commands change. A command does not name the files that it touches, so every file is looked at
 * before and after, and copied before a command may change it. Without changes, a look costs one `lstat` per file.
 */
export class CommandWatch {
  readonly #options: WatchOptions;
  readonly #index = new Map<string, Known>();
  /** The files of the last look, and its time. */
  #view: { roots: readonly string[]; unread: readonly string[]; since: number } = { roots: [], unread: [], since: 0 };
  #off = false;
  #copies = 0;
  #bytes = 0;

  constructor(options: WatchOptions) {
    this.#options = options;
  }

  async look({ isSaved, take, signal }: Look): Promise<void> {
    if (this.#off) return;
    const { skip, limits, warn } = this.#options;
    const roots = [...this.#options.roots()];
    const since = Date.now() - CLOCK_STEP_MS; // not the session's clock, which may be seeded: files know only this one
    const walk = await walkFiles(roots, { skip, limit: limits.names, ...(signal && { signal }) });
    if (take) await take(await this.#changes(walk, isSaved));
    if (!walk.complete) {
      this.#off = true;
      warn(`There are more than ${limits.names} files: what commands change cannot be rewound in this session`);
      return;
    }
    this.#view = { roots, unread: walk.unread, since };
    await this.#renew(walk.files, isSaved, signal);
  }

  async close(): Promise<void> {
    this.#off = true;
    if (this.#copies === 0) return;
    const { folder } = this.#options;
    await rm(folder, { recursive: true, force: true });
    await removeAbandoned(dirname(folder));
  }

  async #changes({ files }: Walk, isKept: (path: string) => boolean): Promise<Change[]> {
    const changes: Change[] = [];
    const copied = [...this.#index.values()].filter(({ copy }) => copy !== undefined);
    const inodes = new Set(copied.map(({ mark }) => mark.ino));
    for (const [path, mark] of files) {
      if (this.#index.has(path) || isKept(path)) continue;
      if (this.#isNew(path, mark, inodes)) changes.push({ path, copy: null });
    }
    for (const [path, known] of this.#index) {
      if (isKept(path)) continue;
      // A file that the walk did not meet may still exist: its folder may be unreadable now, or beyond the limit.
      const now = files.get(path) ?? markAt(path);
      if (now === undefined || (now && isSameMark(now, known.mark))) continue;
      const { copy } = known;
      if (now && copy !== undefined && (await isLikeCopy(path, now, copy).catch(() => false))) continue;
      changes.push({ path, copy });
    }
    return changes;
  }

  /**
   * A rewind deletes files that are new. So a file must not count as new when it was only unseen: in a folder that was
   * unreadable or no root, or moved here from where nothing can be restored.
   */
  #isNew(path: string, { ino, birthtimeMs }: FileMark, inodes: ReadonlySet<number>): boolean {
    const { roots, unread, since } = this.#view;
    if (!isInsideAny(roots, path) || isInsideAny(unread, path)) return false;
    return birthtimeMs >= since || inodes.has(ino);
  }

  async #renew(
    files: ReadonlyMap<string, FileMark>,
    isKept: (path: string) => boolean,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const stale: [string, FileMark][] = [];
    for (const [path, mark] of files) {
      const known = this.#index.get(path);
      if (!(known && isSameMark(known.mark, mark)) && !isKept(path)) stale.push([path, mark]);
    }
    for (const path of this.#index.keys()) if (!files.has(path) || isKept(path)) await this.#drop(path);
    for (let at = 0; at < stale.length; at += AT_ONCE) {
      if (signal?.aborted) throw abortReason(signal);
      await Promise.all(stale.slice(at, at + AT_ONCE).map(([path, mark]) => this.#copy(path, mark)));
    }
  }

  async #copy(path: string, mark: FileMark): Promise<void> {
    await this.#drop(path);
    const known: Known = { mark };
    this.#index.set(path, known);
    if (mark.kind === 'link') return;
    const { folder, limits, warn } = this.#options;
    if (mark.size > limits.fileBytes || this.#bytes + mark.size > limits.totalBytes) {
      warn('Some files are too large, or too much in all, to be copied before commands: a rewind leaves them alone');
      return;
    }
    this.#bytes += mark.size;
    const copy = join(folder, String(++this.#copies));
    try {
      makeDirectory(folder, 0o700);
      await copyWhole(path, copy);
      known.copy = copy;
    } catch (error) {
      this.#bytes -= mark.size;
      // The command runs anyway: it may be what frees a full disk.
      if (errorCode(error) !== 'ENOENT') warn(`A file could not be copied before a command: ${messageOf(error)}`);
    }
  }

  async #drop(path: string): Promise<void> {
    const known = this.#index.get(path);
    this.#index.delete(path);
    if (known?.copy === undefined) return;
    this.#bytes -= known.mark.size;
    await rm(known.copy, { force: true });
  }
}

/** A folder unchanged for this long belongs to a run that is dead. */
const ABANDONED_MS = 7 * 24 * 3600 * 1000;

/** Removes the folders of runs that were killed. */
async function removeAbandoned(parent: string): Promise<void> {
  for (const name of await readdir(parent).catch(() => [])) {
    await removeIfOld(join(parent, name)).catch(() => {}); // another session that closes may be removing it
  }
  await rmdir(parent).catch(() => {}); // other runs still use it
}

async function removeIfOld(folder: string): Promise<void> {
  const { mtimeMs } = await lstat(folder);
  if (Date.now() - mtimeMs > ABANDONED_MS) await rm(folder, { recursive: true, force: true });
}

/** The mark of the file at this path. A link on the way would lead to another file. */
function markAt(path: string): FileMark | null | undefined {
  const place = locationOf(path, nodeRealPath);
  if (place === null) return undefined;
  return place === path ? markOf(path) : null;
}
