import { closeSync, constants, openSync, readlinkSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { PathMatch } from './path-finder.ts';

/**
 * Follows directories that contain denied paths. A denied path cannot be moved while something is mounted on it, but
 * a directory above it can, and would then be another path for the next command.
 */
export interface MovedPaths {
  /** These paths, and those of earlier calls for the same rules, wherever their directories are by now. */
  follow(found: readonly PathMatch[], rules: ReadonlySet<string>): string[];
  close(): void;
}

interface Followed {
  descriptor: number;
  /** The names in it, and the rules that they are denied by. */
  names: Map<string, Set<string>>;
}

/** The kernel's flag for a descriptor that only names a file; Node has no constant for it. */
const O_PATH = 0o10000000;
/** Directories that are followed; each is an open descriptor. */
const MAX_FOLLOWED = 256;

export function createMovedPaths(): MovedPaths {
  const followed = new Map<string, Followed>();

  function note({ path, rule }: PathMatch): void {
    const parent = dirname(path);
    const key = keyOf(parent);
    if (key === null) return;
    const known = followed.get(key) ?? open(parent);
    if (known === null) return;
    followed.set(key, known);
    const name = basename(path);
    known.names.set(name, (known.names.get(name) ?? new Set()).add(rule));
  }

  function open(directory: string): Followed | null {
    if (followed.size >= MAX_FOLLOWED) return null;
    const descriptor = quietly(() => openSync(directory, O_PATH | constants.O_DIRECTORY));
    return descriptor === null ? null : { descriptor, names: new Map() };
  }

  return {
    follow(found, rules) {
      for (const each of found) note(each);
      const all = new Set(found.map(({ path }) => path));
      for (const [key, { descriptor, names }] of followed) {
        const place = quietly(() => readlinkSync(`/proc/self/fd/${descriptor}`));
        // The kernel adds a word to the path of a removed directory, but a living one may have such a name, too.
        if (place === null || keyOf(place) !== key) {
          closeSync(descriptor);
          followed.delete(key);
        } else {
          for (const [name, by] of names) if (overlap(by, rules)) all.add(join(place, name));
        }
      }
      return [...all];
    },
    close() {
      for (const { descriptor } of followed.values()) closeSync(descriptor);
      followed.clear();
    },
  };
}

function overlap(some: ReadonlySet<string>, others: ReadonlySet<string>): boolean {
  for (const each of some) if (others.has(each)) return true;
  return false;
}

function keyOf(directory: string): string | null {
  const stats = quietly(() => statSync(directory));
  return stats && `${stats.dev}:${stats.ino}`;
}

function quietly<T>(look: () => T): T | null {
  try {
    return look();
  } catch {
    return null;
  }
}
