import { setImmediate } from 'node:timers/promises';
import { ripgrep } from '../../tools/search/ripgrep.ts';
import type { ToolContext } from '../../tools/tool.ts';
import { type FuzzyQuery, fuzzyScore, lettersOf } from '../../util/text/fuzzy-match.ts';

/** More files are not listed. */
const MAX_FILES = 200_000;
/** A list is read again when it is older, and when it took less than a tenth of its age. */
const FRESH_MS = 3000;
/** Between two pauses in which other work of the process gets its turn. */
const SLICE = 20_000;

/** What one reading of the directory has listed: files and directories, which end with a slash. */
class FileList {
  readonly paths: string[] = [];
  /** The letters of each path, to skip quickly what cannot fit. */
  readonly letters: number[] = [];
  isTruncated = false;
  readonly #directories = new Set<string>();
  #files = 0;

  /** False when there is enough. */
  add(path: string): boolean {
    if (this.#files === MAX_FILES) {
      this.isTruncated = true;
      return false;
    }
    this.#files += 1;
    this.#addDirectories(path);
    this.#push(path);
    return true;
  }

  has(directory: string): boolean {
    return this.#directories.has(directory);
  }

  #addDirectories(path: string): void {
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const directory = path.slice(0, end + 1);
      if (this.#directories.has(directory)) return;
      this.#directories.add(directory);
      this.#push(directory);
    }
  }

  #push(path: string): void {
    this.paths.push(path);
    this.letters.push(lettersOf(path));
  }
}

export interface ScoredPath {
  path: string;
  score: number;
}

/** The files of a session's directory, for completion. `rg --files` lists them in the background. */
export class FileIndex {
  #list: FileList | null = null;
  /** The list that is being read. */
  #next: { list: FileList; done: Promise<void> } | null = null;
  #readAt = 0;
  #tookMs = 0;

  /** The present list; where there is none yet, what has been listed after a moment. */
  async list(context: ToolContext, patienceMs: number): Promise<{ list: FileList; isGrowing: boolean }> {
    const now = context.runtime.clock.now();
    const isStale = this.#list === null || now - this.#readAt > Math.max(FRESH_MS, 10 * this.#tookMs);
    if (isStale && !this.#next) this.#next = this.#read(context, now);
    if (this.#list) return { list: this.#list, isGrowing: false };
    const begun = this.#next;
    if (!begun) return { list: new FileList(), isGrowing: false };
    await Promise.race([begun.done, context.runtime.clock.sleep(patienceMs, context.signal)]);
    return { list: begun.list, isGrowing: this.#next === begun };
  }

  #read(context: ToolContext, startedAt: number): { list: FileList; done: Promise<void> } {
    const list = new FileList();
    const { workspace, runtime } = context;
    const read = async () => {
      const dir = workspace.cwd;
      const search = {
        options: ['--files'],
        dir,
        prints: 'files' as const,
        onRecord: (path: string) => list.add(path),
      };
      const { limit } = await workspace.hold(dir, (held) => ripgrep({ ...search, held }, context));
      list.isTruncated ||= limit === 'time';
    };
    const done = read()
      .catch((error) => {
        runtime.log('warn', `The files could not be listed for suggestions: ${String(error)}`);
        list.isTruncated = true;
      })
      .then(() => {
        this.#list = list;
        this.#next = null;
        this.#readAt = runtime.clock.now();
        this.#tookMs = this.#readAt - startedAt;
      });
    return { list, done };
  }
}

/** The best of a list, and how many fit. Long lists are read in slices. */
export async function bestOf(
  { paths, letters }: Pick<FileList, 'paths' | 'letters'>,
  query: FuzzyQuery,
  { limit, signal }: { limit: number; signal: AbortSignal },
): Promise<{ best: ScoredPath[]; total: number }> {
  const best: ScoredPath[] = [];
  let total = 0;
  const count = paths.length;
  for (let at = 0; at < count; at++) {
    if (at % SLICE === SLICE - 1) {
      await setImmediate();
      signal.throwIfAborted();
    }
    if (((letters[at] ?? 0) & query.letters) !== query.letters) continue;
    const path = paths[at] ?? '';
    const score = fuzzyScore(query, path);
    if (score < 0) continue;
    total += 1;
    keepBest(best, { path, score }, limit);
  }
  return { best, total };
}

/** Puts it where it belongs, the best first, and drops what is too much. */
function keepBest(best: ScoredPath[], found: ScoredPath, limit: number): void {
  const last = best.at(-1);
  if (best.length >= limit && last && !isBetter(found, last)) return;
  let [low, high] = [0, best.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const other = best[middle];
    if (other && isBetter(other, found)) low = middle + 1;
    else high = middle;
  }
  best.splice(low, 0, found);
  if (best.length > limit) best.pop();
}

/** With one score, the shorter path; then by name, so that the order is always the same. */
function isBetter(one: ScoredPath, other: ScoredPath): boolean {
  if (one.score !== other.score) return one.score > other.score;
  if (one.path.length !== other.path.length) return one.path.length < other.path.length;
  return one.path < other.path;
}
