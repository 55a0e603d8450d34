import { lstat, readdir, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isInsideAny } from '../permissions/paths.ts';
import { nodeRealPath, placeOf } from '../permissions/real-path.ts';
import { abortReason } from '../util/abort.ts';
import { errorCode } from '../util/error-code.ts';
import { makeDirectory } from '../util/make-directory.ts';
import { messageOf } from '../util/message-of.ts';
import { copyWhole, type FileMark, isLikeCopy, isSameMark, markOf } from './checkpoint-marks.ts';
import { type Walk, walkFiles } from './checkpoint-walk.ts';

export interface WatchLimits {
  /** Names below the roots; where there are more, commands are not watched. */
  names: number;
  /** Of one copy. */
  fileBytes: number;
  /** Of all copies that are held at a time. */
  totalBytes: number;
}

export const WATCH_LIMITS: WatchLimits = {
  names: 20_000,
  fileBytes: 10 * 1024 * 1024,
  totalBytes: 256 * 1024 * 1024,
};

export interface WatchOptions {
  roots: () => readonly string[];
  /** Directories of our own that lie below the roots. */
  skip: readonly string[];
  /** Where copies are held; made when needed, gone with `close`. Its parent holds nothing but such folders. */
  folder: string;
  limits: WatchLimits;
  /** Says something to the user; each text is said once. */
  warn: (message: string) => void;
}

/** What became different between two looks. */
export interface Change {
  path: string;
  /** The file as it was. Null: there was none. Undefined: it was not copied, and cannot be brought back. */
  copy: string | null | undefined;
}

export interface Look {
  /** True for files whose state is kept elsewhere: they need no copy. Asked after `take`. */
  isKept: (path: string) => boolean;
  /** Takes what changed since the last look. Without it, that was somebody else's work. */
  take?: (changes: Change[]) => Promise<void>;
  signal?: AbortSignal;
}

interface Known {
  mark: FileMark;
  /** Undefined: it is a link, or was left out. */
  copy?: string;
}

/** Copies at a time: what the thread pool of Node can work on, with some in reserve. */
const AT_ONCE = 16;
/** The clock of a file system is read in steps, and may lag behind by one. */
const CLOCK_STEP_MS = 20;

/**
 * Finds out what commands change. Nobody says which files a command touches, so all of them are looked at before and
 * after, and each file has a copy in its present state before a command may change it. Where nothing has changed, a look
 * costs one `lstat` a file.
 */
export class CommandWatch {
  readonly #options: WatchOptions;
  readonly #index = new Map<string, Known>();
  /** What the last look has seen, and when. */
  #view: { roots: readonly string[]; unread: readonly string[]; since: number } = { roots: [], unread: [], since: 0 };
  #off = false;
  #copies = 0;
  #bytes = 0;

  constructor(options: WatchOptions) {
    this.#options = options;
  }

  async look({ isKept, take, signal }: Look): Promise<void> {
    if (this.#off) return;
    const { skip, limits, warn } = this.#options;
    const roots = [...this.#options.roots()];
    const since = Date.now() - CLOCK_STEP_MS; // not the session's clock, which may be seeded: files know only this one
    const walk = await walkFiles(roots, { skip, limit: limits.names, ...(signal && { signal }) });
    if (take) await take(await this.#changes(walk, isKept));
    if (!walk.complete) {
      this.#off = true;
      warn(`There are more than ${limits.names} files: what commands change cannot be rewound in this session`);
      return;
    }
    this.#view = { roots, unread: walk.unread, since };
    await this.#renew(walk.files, isKept, signal);
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
      // What the walk has not met is not always gone: its folder may be unreadable now, or beyond the limit.
      const now = files.get(path) ?? markAt(path);
      if (now === undefined || (now && isSameMark(now, known.mark))) continue;
      const { copy } = known;
      if (now && copy !== undefined && (await isLikeCopy(path, now, copy).catch(() => false))) continue;
      changes.push({ path, copy });
    }
    return changes;
  }

  /**
   * A rewind deletes what was made later, so this must not be said of a file that was only not seen before: in a folder
   * that could not be read or was no root, or moved here from where nothing can be brought back.
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
      // A command may be what makes room on a full disk, so it runs all the same.
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

/** How long a folder may stay as it is before its run is taken for dead. */
const ABANDONED_MS = 7 * 24 * 3600 * 1000;

/** What runs that were killed have left behind. */
async function removeAbandoned(parent: string): Promise<void> {
  for (const name of await readdir(parent).catch(() => [])) {
    await removeIfOld(join(parent, name)).catch(() => {}); // another session that closes may be removing it
  }
  await rmdir(parent).catch(() => {}); // others are still at work
}

async function removeIfOld(folder: string): Promise<void> {
  const { mtimeMs } = await lstat(folder);
  if (Date.now() - mtimeMs > ABANDONED_MS) await rm(folder, { recursive: true, force: true });
}

/** The mark of the file at this very path: behind a link that was put in its way is another one. */
function markAt(path: string): FileMark | null | undefined {
  const place = placeOf(path, nodeRealPath);
  if (place === null) return undefined;
  return place === path ? markOf(path) : null;
}
