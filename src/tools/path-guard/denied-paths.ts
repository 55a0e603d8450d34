import { createMovedPaths } from './moved-paths.ts';
import {
  createPathFinder,
  FINDER_LIMITS,
  type FinderLimits,
  type PathFinder,
  type PathPattern,
} from './path-finder.ts';

/** The paths that rules deny now: real paths of what exists. */
export interface DeniedNow {
  readonly reads: readonly string[];
  readonly edits: readonly string[];
  /** False when a limit ended the search. */
  readonly isComplete: boolean;
}

export interface DeniedPaths {
  /** Looks again each time, because files and rules change. `realPath` is for this look only. */
  now(patterns: { read: readonly PathPattern[]; edit: readonly PathPattern[] }, realPath: RealPath): Promise<DeniedNow>;
  close(): void;
}

/** Threads of a session may have different rules; each combination remembers its own directories. */
const MAX_FINDERS = 8;

/** Resolves links; null when the target cannot be determined. */
type RealPath = (path: string) => string | null;

export function createDeniedPaths(limits: FinderLimits = FINDER_LIMITS): DeniedPaths {
  const moved = { read: createMovedPaths(), edit: createMovedPaths() };
  const finders = new Map<string, PathFinder>();

  function finderFor(kind: 'read' | 'edit', patterns: readonly PathPattern[]): PathFinder {
    const key = [kind, ...patterns.map(({ id }) => id)].join('\n');
    const finder = finders.get(key) ?? createPathFinder(limits);
    finders.delete(key); // to the end of the line
    finders.set(key, finder);
    const [oldest] = finders.keys();
    if (finders.size > MAX_FINDERS && oldest !== undefined) finders.delete(oldest);
    return finder;
  }

  async function look(kind: 'read' | 'edit', patterns: readonly PathPattern[], realPath: RealPath) {
    const { paths, isComplete } = await finderFor(kind, patterns).find(patterns);
    const real = paths.flatMap(({ path, rule }) => {
      const target = realPath(path);
      return target === null ? [] : [{ path: target, rule }];
    });
    return { paths: moved[kind].follow(real, new Set(patterns.map(({ rule }) => rule))), isComplete };
  }

  return {
    async now({ read, edit }, realPath) {
      const reads = await look('read', read, realPath);
      const edits = await look('edit', edit, realPath);
      return { reads: reads.paths, edits: edits.paths, isComplete: reads.isComplete && edits.isComplete };
    },
    close() {
      moved.read.close();
      moved.edit.close();
    },
  };
}
