import { opendirSync, readlinkSync } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { errorCode } from '../util/error-code.ts';

/**
 * Resolves the symlinks of an absolute path one segment after the other, as the kernel does; names that do not exist
 * yet are kept as written below their real parent. Null when the target cannot be determined: the caller must treat
 * such a path as lying outside everything.
 */
export type RealPath = (path: string) => string | null;

const MAX_LINKS = 40;

/**
 * `RealPath` on this machine. A dangling link counts as its target, because writing would create that. Paths through
 * /proc give null: its links mean something else in every process.
 */
export const nodeRealPath: RealPath = (path) => follow(path, readLink);

/** `nodeRealPath` for many paths at one moment: it reads each link once and does not see later changes. */
export function rememberingRealPath(): RealPath {
  const known = new Map<string, Link>();
  const look = (path: string) => {
    const link = known.get(path) ?? readLink(path);
    known.set(path, link);
    return link;
  };
  return (path) => follow(path, look);
}

function follow(path: string, look: (path: string) => Link): string | null {
  if (!isAbsolute(path)) return null;
  const pending = segments(path);
  let real = '/';
  let links = 0;
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    if (name === '.') continue;
    if (name === '..') {
      real = dirname(real);
      continue;
    }
    const next = join(real, name);
    if (next === '/proc') return null;
    const target = look(next);
    if (target === 'unknown') return null;
    if (target === 'no-link') {
      real = next;
      continue;
    }
    if (++links > MAX_LINKS) return null;
    if (isAbsolute(target.path)) real = '/';
    pending.push(...segments(target.path));
  }
  return real;
}

/** More names than a pattern of a person finds; they are read at once. */
const MAX_NAMES = 1000;

/** The names in a directory of this machine; none for one that cannot be read, null for very many. */
export function nodeNames(directory: string): readonly string[] | null {
  try {
    const open = opendirSync(directory);
    try {
      const names: string[] = [];
      for (let entry = open.readSync(); entry !== null; entry = open.readSync()) {
        if (names.push(entry.name) > MAX_NAMES) return null;
      }
      return names;
    } finally {
      open.closeSync();
    }
  } catch {
    return [];
  }
}

/** The location of the name itself, whatever it links to: removing or moving a link acts on this path. */
export function locationOf(path: string, realPath: RealPath): string | null {
  const parent = realPath(dirname(path));
  return parent === null ? null : join(parent, basename(path));
}

/** Last segment first, so that `pop` walks from the root. */
function segments(path: string): string[] {
  return path
    .split('/')
    .filter((segment) => segment !== '')
    .reverse();
}

type Link = { path: string } | 'no-link' | 'unknown';

function readLink(path: string): Link {
  try {
    return { path: readlinkSync(path) };
  } catch (error) {
    const code = errorCode(error);
    return code === 'EINVAL' || code === 'ENOENT' || code === 'ENOTDIR' ? 'no-link' : 'unknown';
  }
}
