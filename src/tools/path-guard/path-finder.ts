import { type Dirent, lstatSync, readdirSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTick } from 'node:timers/promises';

export type NameTest = (name: string) => boolean;

/** Paths to look for: a path, or names below one. */
export interface PathPattern {
  /** Equal for equal patterns. */
  readonly id: string;
  /** The rule that it comes from. */
  readonly rule: string;
  /** Absolute. */
  readonly base: string;
  /** The names below the base; `any` stands for any number of names. Empty: the base itself. */
  readonly names: readonly (NameTest | 'any')[];
  /** Only a directory, or a link, can be meant. */
  readonly isDirectory: boolean;
}

/** A path that exists, as it was found: links are not resolved. */
export interface PathMatch {
  readonly path: string;
  readonly rule: string;
}

export interface PathMatches {
  readonly paths: readonly PathMatch[];
  /** False when a limit ended the search. */
  readonly isComplete: boolean;
}

export interface PathFinder {
  /** Searches in slices, so that other work continues. What is below a found path is not listed. */
  find(patterns: readonly PathPattern[]): Promise<PathMatches>;
}

export interface FinderLimits {
  directories: number;
  entries: number;
  paths: number;
}

/** The search runs before every command, so it must stay cheap in any directory. */
export const FINDER_LIMITS: FinderLimits = { directories: 3000, entries: 100_000, paths: 1000 };

/** Large, and seldom with secrets of the user: these are searched last. */
const LAST = new Set(['node_modules', '.git', '.venv', 'target', 'vendor']);
/** Milliseconds of work between two looks at other work. */
const SLICE_MS = 8;
/** A directory that changed this shortly before it was read may have changed again without a new time. */
const SETTLED_MS = 2000;

interface State {
  pattern: PathPattern;
  at: number;
}

/** A directory to look into, reached from a base. */
interface Step {
  base: string;
  directory: string;
  name: string;
  states: State[];
}

interface Visit {
  ino: number;
  ctimeMs: number;
  isSettled: boolean;
  entries: number;
  found: PathMatch[];
  next: Step[];
}

/** Remembers each directory until it changes: then a later search costs one look per directory. */
export function createPathFinder(limits: FinderLimits = FINDER_LIMITS): PathFinder {
  let known = new Map<string, Visit>();
  let patternsKnown = '';

  function visit(step: Step): Visit | null {
    const { directory } = step;
    const stats = quietly(() => statSync(directory));
    if (!stats?.isDirectory()) return null;
    const before = known.get(keyOf(step));
    if (before?.isSettled && before.ino === stats.ino && before.ctimeMs === stats.ctimeMs) return before;
    const entries = quietly(() => readdirSync(directory, { withFileTypes: true }));
    return entries && read(step, stats, entries);
  }

  return {
    async find(patterns) {
      const key = patterns.map(({ id, isDirectory }) => `${id}${isDirectory ? '/' : ''}`).join('\n');
      if (key !== patternsKnown) known = new Map();
      patternsKnown = key;
      const paths = patterns.flatMap(foundAtBase);
      const queue = startsOf(patterns);
      const later: Step[] = [];
      const visited = new Map<string, Visit>();
      let entries = 0;
      let sliceEnd = performance.now() + SLICE_MS;
      for (let step = queue.shift() ?? later.shift(); step !== undefined; step = queue.shift() ?? later.shift()) {
        if (visited.size >= limits.directories || entries > limits.entries) break;
        const seen = visit(step);
        if (seen) {
          visited.set(keyOf(step), seen);
          entries += seen.entries;
          paths.push(...seen.found);
          for (const each of seen.next) (LAST.has(each.name) ? later : queue).push(each);
        }
        if (performance.now() < sliceEnd) continue;
        await nextTick();
        sliceEnd = performance.now() + SLICE_MS;
      }
      known = visited;
      const isComplete = queue.length + later.length === 0 && paths.length <= limits.paths;
      return { paths: paths.slice(0, limits.paths), isComplete };
    },
  };
}

function foundAtBase({ base, names, isDirectory, rule }: PathPattern): PathMatch[] {
  if (names.length > 0) return [];
  const stats = quietly(() => lstatSync(base));
  return stats && (!isDirectory || stats.isDirectory() || stats.isSymbolicLink()) ? [{ path: base, rule }] : [];
}

/** One start per directory, with all patterns that begin there. */
function startsOf(patterns: readonly PathPattern[]): Step[] {
  const starts = new Map<string, State[]>();
  for (const pattern of patterns) {
    if (pattern.names.length === 0) continue;
    const states = starts.get(pattern.base) ?? [];
    starts.set(pattern.base, [...states, { pattern, at: 0 }]);
  }
  return [...starts].map(([base, states]) => ({ base, directory: base, name: '', states }));
}

/** Patterns of another base may reach the same directory, and mean other names in it. */
function keyOf({ base, directory }: Step): string {
  return `${base}\n${directory}`;
}

function read({ base, directory, states }: Step, stats: Stats, entries: readonly Dirent[]): Visit {
  const found: PathMatch[] = [];
  const next: Step[] = [];
  for (const entry of entries) {
    const path = join(directory, entry.name);
    const below = stepInto(entry, states);
    if (!Array.isArray(below)) found.push({ path, rule: below.rule });
    else if (below.length > 0) next.push({ base, directory: path, name: entry.name, states: below });
  }
  const { ino, ctimeMs } = stats;
  const isSettled = Date.now() - ctimeMs > SETTLED_MS;
  return { ino, ctimeMs, isSettled, entries: entries.length, found, next };
}

/** The pattern that means the entry itself; otherwise the states for what is in it. */
function stepInto(entry: Dirent, states: readonly State[]): State[] | PathPattern {
  const below: State[] = [];
  const isDirectory = entry.isDirectory();
  const pending = [...states];
  for (let state = pending.pop(); state !== undefined; state = pending.pop()) {
    const { pattern, at } = state;
    const name = pattern.names[at];
    if (name === undefined) continue;
    if (name === 'any') {
      if (isDirectory) below.push(state);
      pending.push({ pattern, at: at + 1 });
    } else if (name(entry.name)) {
      const isLast = at === pattern.names.length - 1;
      if (isLast && (!pattern.isDirectory || isDirectory || entry.isSymbolicLink())) return pattern;
      if (!isLast && isDirectory) below.push({ pattern, at: at + 1 });
    }
  }
  return below;
}

/** Null for what cannot be looked at: the commands of the same user cannot, either. */
function quietly<T>(look: () => T): T | null {
  try {
    return look();
  } catch {
    return null;
  }
}
