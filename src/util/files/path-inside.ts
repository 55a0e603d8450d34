import { isAbsolute, relative, sep } from 'node:path';

/**
 * Whether a path is the directory or lies below it. Both are absolute. The function compares names and does not look at
 * the disk: a caller that decides about access passes real paths. It compares whole names, so that `/loom-evil` is
 * outside of `/loom`, and it takes `..` into account, so that `/loom/../etc` is outside and `/loom/..notes` is inside.
 */
export function isInside(directory: string, path: string): boolean {
  const way = relative(directory, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

export function isInsideAny(directories: readonly string[], path: string): boolean {
  return directories.some((directory) => isInside(directory, path));
}
