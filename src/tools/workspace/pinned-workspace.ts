import { basename, dirname, join, relative } from 'node:path';
import { holdDirectory, holdFile, PathChanged } from '../../util/files/hold-path.ts';
import { isInside } from '../../util/files/path-inside.ts';
import { refusal } from '../tool.ts';
import type { Places, Workspace } from '../workspace.ts';
import { listExact, openExact, replaceExact, statExact } from './exact-files.ts';
import { refuseSpecial, rethrowReadable } from './file-problems.ts';
import { readInChunks, readWhole, toFileStat } from './regular-file.ts';

export interface PinOptions {
  places: Places;
  /** True when a new file at this real path must be readable by the user alone. */
  isPrivate(real: string): boolean;
}

/**
 * The local workspace for one call: its paths lead to the files that were judged, even if other processes change links
 * and directories meanwhile. Paths that were not judged cannot be reached.
 */
export function pinnedWorkspace(inner: Workspace, { places, isPrivate }: PinOptions): Workspace {
  const find = (path: string) => realPathOf(path, places);
  const openFile = async (path: string, real: string) => openExact(real, path).catch(rethrowChanged(path));
  return {
    ...inner,
    async stat(path) {
      const real = find(path);
      if (real === null) return inner.stat(path);
      const stats = await statExact(real).catch(rethrowChanged(path));
      return stats && toFileStat(stats);
    },
    async list(path) {
      const real = find(path);
      return real === null ? inner.list(path) : listExact(real);
    },
    async readFile(path) {
      const real = find(path);
      if (real === null) return inner.readFile(path);
      return readWhole(path, () => openFile(path, real)).catch(rethrowReadable(path));
    },
    readChunks(path) {
      const real = find(path);
      return real === null ? inner.readChunks(path) : readInChunks(path, () => openFile(path, real));
    },
    async writeFile(path, data, keep) {
      const real = find(path);
      if (real === null) return inner.writeFile(path, data, keep);
      const replacement = { data, isPrivate: isPrivate(real), ...(keep && { keep }) };
      return replaceExact(real, path, replacement).catch(rethrowChanged(path));
    },
    async hold(path, work) {
      const real = find(path);
      if (real === null) return inner.hold(path, work);
      const stats = await statExact(real).catch(rethrowChanged(path));
      if (stats && !stats.isDirectory()) refuseSpecial(path, stats);
      const hold = stats?.isDirectory() ? holdDirectory : holdFile;
      return hold(real, (at) => work({ at, path: real })).catch(rethrowChanged(path));
    },
    pin: (others) => inner.pin(others),
  };
}

/** The real path of a judged path, or of a path below or above one. Null: its target could not be determined. */
function realPathOf(path: string, places: Places): string | null {
  const exact = places.get(path);
  if (exact !== undefined) return exact;
  for (const [judged, real] of places) {
    if (isInside(judged, path)) return real && join(real, relative(judged, path));
    if (real && path === dirname(judged) && basename(judged) === basename(real)) return dirname(real);
  }
  throw refusal(`${path} is not what this call was allowed for.`);
}

function rethrowChanged(path: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof PathChanged)) return rethrowReadable(path)(error);
    throw refusal(`${path} changed while the call was being judged: it leads elsewhere now. Nothing was done.`);
  };
}
