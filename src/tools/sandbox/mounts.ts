import { lstatSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { errorCode } from '../../util/error-code.ts';
import { isInside } from '../../util/files/path-inside.ts';
import { ToolError } from '../tool.ts';
import type { Confinement } from './confinement.ts';
import { isPlaceholder, type Placeholder } from './placeholders.ts';
import type { ProtectedPath } from './protected-path.ts';
import { areParentsOpen } from './reachable.ts';

/**
 * The mounts over a read-only file system. `kept`: may be written but neither moved nor removed. `device`: a device
 * that cannot be opened, instead of a file. `empty`: an empty directory.
 */
export interface Mount {
  readonly path: string;
  readonly as: 'writable' | 'kept' | 'read-only' | 'device' | 'empty';
}

export interface Layout {
  /** Parents come before the paths below them. */
  readonly mounts: readonly Mount[];
  /** The files and directories that must exist as mount points. */
  readonly placeholders: readonly Placeholder[];
}

/**
 * Lays out the file system of a command. Of nested paths the inner one counts, of equal ones the stricter. A path that
 * cannot be reached inside needs no protection and could not be mounted on.
 */
export function layOut({ writable, protectedPaths, hidden }: Confinement): Layout {
  const found = protectedPaths
    .filter(({ path }) => writable.some((directory) => isInside(directory, path)))
    .flatMap((each) => whereReachable(() => find(each)) ?? [])
    .filter(({ path }) => areParentsOpen(path));
  const closed = [...found.map(({ path }): Mount => ({ path, as: 'read-only' })), ...hidden.flatMap(hide)];
  const roots = writable.filter((path) => !isOpen(path, writable, closed));
  const mounts = new Map<string, Mount['as']>();
  for (const path of roots) mounts.set(path, 'writable');
  for (const path of closed.flatMap((mount) => parentsToKeep(mount.path, roots, closed))) mounts.set(path, 'kept');
  for (const { path, as } of closed) mounts.set(path, as);
  return {
    mounts: [...mounts].map(([path, as]): Mount => ({ path, as })).sort((a, b) => depth(a.path) - depth(b.path)),
    placeholders: found.flatMap(({ placeholder }) => placeholder ?? []),
  };
}

interface MountRequest {
  path: string;
  placeholder?: Placeholder;
}

/** The path that can be mounted on: itself, or its first missing part. Null when it needs no mount. */
function find({ path, placeholder }: ProtectedPath): MountRequest | null {
  const missing = firstMissing(path);
  if (missing === null) {
    if (lstatSync(path).isSymbolicLink()) throw unprotectable(path);
    const known = placeholder && { path, as: placeholder };
    return known && isPlaceholder(known) ? { path, placeholder: known } : { path };
  }
  if (placeholder === undefined) return null;
  return { path: missing, placeholder: { path: missing, as: missing === path ? placeholder : { kind: 'directory' } } };
}

function firstMissing(path: string): string | null {
  if (lstatSync(path, { throwIfNoEntry: false })) return null;
  return firstMissing(dirname(path)) ?? path;
}

/** Nothing can be mounted on a link, so the command could replace it. */
function unprotectable(path: string): ToolError {
  return new ToolError(
    `Nothing was run: ${path} is a symbolic link, so the sandbox cannot keep commands from replacing it. ` +
      'Put what it points to in its place.',
  );
}

function hide(path: string): Mount[] {
  const stats = whereReachable(() => lstatSync(path, { throwIfNoEntry: false }));
  return stats && areParentsOpen(path) ? [{ path, as: stats.isDirectory() ? 'empty' : 'device' }] : [];
}

/** Null when something on the way must not be entered. */
function whereReachable<T>(look: () => T): T | null {
  try {
    return look();
  } catch (error) {
    if (errorCode(error) === 'EACCES') return null;
    throw error;
  }
}

/**
 * True when a directory is writable anyway, as part of another one. It is not mounted: a command could have replaced it
 * by a link, and a mount would follow that.
 */
function isOpen(path: string, writable: readonly string[], closed: readonly Mount[]): boolean {
  return writable.some(
    (other) =>
      other !== path &&
      isInside(other, path) &&
      !closed.some((wall) => isInside(other, wall.path) && isInside(wall.path, path)),
  );
}

/**
 * The writable directories above a closed path. They must not be moved, because a command could then make others in
 * their place in which nothing is closed.
 */
function parentsToKeep(path: string, roots: readonly string[], closed: readonly Mount[]): string[] {
  const around = roots.filter((root) => root !== path && isInside(root, path));
  const root = around.sort((a, b) => b.length - a.length)[0];
  if (root === undefined) return [];
  const names = relative(root, dirname(path)).split('/').filter(Boolean);
  const parents = names.map((_, at) => join(root, ...names.slice(0, at + 1)));
  return parents.filter((parent) => !closed.some((wall) => isInside(root, wall.path) && isInside(wall.path, parent)));
}

function depth(path: string): number {
  return path.split('/').length;
}
