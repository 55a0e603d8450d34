import { chmodSync, constants, copyFileSync, lstatSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { makeDirectory } from '../../util/files/make-directory.ts';
import { isInside } from '../../util/files/path-inside.ts';
import { pluginError } from '../plugin-error.ts';
import { type SafeNames, safeNames } from './safe-names.ts';

export interface CopySource {
  /** The folder of the plugin. */
  from: string;
  /** What its links may lead to: the folder itself, or the marketplace that it lies in. */
  root: string;
  /** For errors. */
  what: string;
}

/** What belongs to a checkout and not to a plugin. */
const LEFT_OUT: ReadonlySet<string> = new Set(['.git', '.in_use', '.orphaned_at', '.DS_Store']);

/**
 * Copies the files of a plugin into a new folder. Links become copies of what they lead to; one that leads out of `root`,
 * a pipe, a device and a socket end the copy with `plugin_failed`.
 */
export function copyTree({ from, root, what }: CopySource, to: string): void {
  const real = realpathSync(from);
  const bounds = realpathSync(root);
  if (!isInside(bounds, real)) throw pluginError(`${what} leads out of ${root}`);
  makeDirectory(to, 0o700);
  copyFolder({ bounds, what, names: safeNames(what), base: real, open: [real] }, real, to);
}

interface Copying {
  bounds: string;
  what: string;
  names: SafeNames;
  base: string;
  /** The folders that are being copied: a link to one of them has no end. */
  open: readonly string[];
}

function copyFolder(copying: Copying, from: string, to: string, below = ''): void {
  for (const name of readdirSync(from).sort()) {
    if (LEFT_OUT.has(name)) continue;
    const path = below === '' ? name : `${below}/${name}`;
    copyOne(copying, { path, full: join(from, name), to: join(to, name) });
  }
}

function copyOne(copying: Copying, { path, full, to }: { path: string; full: string; to: string }): void {
  const { bounds, what, names, open } = copying;
  const source = lstatSync(full).isSymbolicLink() ? linked(copying, path, full) : full;
  if (source === null) return; // a link to nothing
  const stats = statSync(source);
  if (stats.isDirectory()) {
    const real = realpathSync(source);
    if (open.includes(real)) throw pluginError(`${what} has '${path}': a link in a circle`);
    names.addFolder(path);
    makeDirectory(to, 0o700);
    copyFolder({ ...copying, open: [...open, real] }, source, to, path);
    return;
  }
  if (!stats.isFile()) throw pluginError(`${what} has '${path}': neither a file nor a folder`);
  if (!isInside(bounds, realpathSync(source))) throw leadsOut(what, path);
  names.addFile(path, stats.size);
  copyFileSync(source, to, constants.COPYFILE_EXCL);
  chmodSync(to, (stats.mode & 0o100) === 0 ? 0o600 : 0o700);
}

function linked({ bounds, what }: Copying, path: string, full: string): string | null {
  let real: string;
  try {
    real = realpathSync(full);
  } catch {
    return null;
  }
  if (!isInside(bounds, real)) throw leadsOut(what, path);
  const inGit = relative(bounds, real).split('/').includes('.git');
  if (inGit) throw leadsOut(what, path);
  return real;
}

function leadsOut(what: string, path: string): Error {
  return pluginError(`${what} has '${path}': a link that leads out of it`);
}
