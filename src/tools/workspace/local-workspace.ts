import { realpathSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { existingOrSame } from '../../util/files/existing-path.ts';
import { isInside } from '../../util/files/path-inside.ts';
import type { Processes } from '../../util/process/process.ts';
import type { KeepFile, Workspace } from '../workspace.ts';
import { realTarget, replaceExact } from './exact-files.ts';
import { isMissing, rethrowReadable } from './file-problems.ts';
import { pinnedWorkspace } from './pinned-workspace.ts';
import { openRegularFile, readInChunks, readWhole, toFileStat } from './regular-file.ts';

export interface LocalWorkspaceOptions {
  cwd: string;
  /** Additional directories. */
  roots?: readonly string[];
  /** The directory that `~` stands for; empty when there is no home. */
  home: string;
  /** New files below this directory are readable by the user alone. */
  privateDir?: string | null;
  processes: Processes;
}

/** The workspace on this machine. Throws when `cwd` does not exist. */
export function createLocalWorkspace(options: LocalWorkspaceOptions): Workspace {
  const cwd = realpathSync(options.cwd);
  const roots = new Set([cwd, ...(options.roots ?? []).map((root) => existingOrSame(expand(root)))]);

  function expand(path: string): string {
    const fromHome = options.home !== '' && (path === '~' || path.startsWith('~/'));
    return fromHome ? resolve(options.home, `.${path.slice(1)}`) : resolve(cwd, path);
  }

  /** Checked each time, because the directory need not exist yet. */
  function isPrivate(real: string): boolean {
    const { privateDir } = options;
    return !!privateDir && isInside(existingOrSame(privateDir), existingOrSame(dirname(real)));
  }

  async function write(path: string, data: string | Uint8Array, keep?: KeepFile): Promise<void> {
    const real = await realTarget(path);
    await replaceExact(real, path, { data, isPrivate: isPrivate(real), ...(keep && { keep }) });
  }

  const workspace: Workspace = {
    cwd,
    roots: [...roots],
    resolve: expand,
    stat: async (path) => {
      const stats = await stat(path).catch((error) => (isMissing(error) ? null : rethrowReadable(path)(error)));
      return stats && toFileStat(stats);
    },
    list: (path) => readdir(path).catch(() => []),
    readFile: (path) => readWhole(path, openRegularFile).catch(rethrowReadable(path)),
    readChunks: (path) => readInChunks(path, openRegularFile),
    writeFile: (path, data, keep) => write(path, data, keep).catch(rethrowReadable(path)),
    hold: (path, work) => work({ path, at: path }),
    pin: async (places) => pinnedWorkspace(workspace, { places, isPrivate }),
    exec: (spec, signal) => options.processes.run(spec, signal),
  };
  return workspace;
}
