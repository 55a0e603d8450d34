import { basename, dirname, join } from 'node:path';
import { holdDirectory, holdFile, PathChanged } from '../util/hold-path.ts';
import { listExact, openExact, replaceExact, statExact } from './exact-files.ts';
import { refuseSpecial, rethrowReadable } from './file-problems.ts';
import { readInChunks, readWhole, toFileStat } from './regular-file.ts';
import { refusal } from './tool.ts';
import type { Places, Workspace } from './workspace.ts';

export interface PinOptions {
  places: Places;
  /** Whether what is new at a real path is for the user alone. */
  isPrivate(real: string): boolean;
}

/**
 * This machine for one call: its paths are the files that they were when the call was judged, whatever other processes do
 * to links and directories meanwhile. What was not judged cannot be reached.
 */
export function pinnedWorkspace(inner: Workspace, { places, isPrivate }: PinOptions): Workspace {
  const find = (path: string) => placeOf(path, places);
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

/** The real path of what was judged, lies below it, or holds it. Null: nobody could tell where it leads. */
function placeOf(path: string, places: Places): string | null {
  const exact = places.get(path);
  if (exact !== undefined) return exact;
  for (const [judged, real] of places) {
    if (path.startsWith(judged === '/' ? judged : `${judged}/`)) return real && join(real, path.slice(judged.length));
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
