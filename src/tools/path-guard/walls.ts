import { lstatSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorCode } from '../../util/error-code.ts';

/** What a command may not reach, whatever program opens it. */
export interface Walls {
  /** Their content cannot be seen. */
  readonly masked: readonly string[];
  readonly readOnly: readonly string[];
  /** Programs, and the files that run in their place. */
  readonly replaced: readonly Replacement[];
}

export interface Replacement {
  readonly path: string;
  readonly by: string;
}

/** One mount. `device`: a device that cannot be opened, instead of a file. `empty`: a directory that cannot be entered. */
export type WallMount =
  | { readonly path: string; readonly as: 'device' | 'empty' | 'read-only' }
  | { readonly path: string; readonly as: 'replaced'; readonly by: string };

/**
 * The mounts for walls, parents before the paths below them; of equal paths the stricter. All paths must be real ones.
 * What does not exist needs none, and what a masked directory contains cannot be seen anyway.
 */
export function mountsFor({ masked, readOnly, replaced }: Walls): WallMount[] {
  const mounts = new Map<string, WallMount>();
  for (const { path, by } of replaced) mounts.set(path, { path, as: 'replaced', by });
  for (const path of readOnly) if (kindAt(path) !== null) mounts.set(path, { path, as: 'read-only' });
  for (const path of masked) {
    const kind = kindAt(path);
    if (kind !== null) mounts.set(path, { path, as: kind === 'directory' ? 'empty' : 'device' });
  }
  const isHidden = (path: string): boolean => {
    const above = dirname(path);
    return above !== path && (mounts.get(above)?.as === 'empty' || isHidden(above));
  };
  return [...mounts.values()].filter(({ path }) => !isHidden(path)).sort((a, b) => depth(a.path) - depth(b.path));
}

function kindAt(path: string): 'directory' | 'file' | null {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return null;
    // A link cannot be mounted on; the caller has resolved it, so it leads nowhere.
    if (stats.isSymbolicLink()) return null;
    return stats.isDirectory() ? 'directory' : 'file';
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP'].includes(errorCode(error) ?? '')) return null;
    throw error;
  }
}

function depth(path: string): number {
  return path.split('/').length;
}
