import { existsSync, lstatSync, readdirSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { errorCode } from '../../util/error-code.ts';
import { existingPath } from '../../util/files/existing-path.ts';
import { makeDirectory } from '../../util/files/make-directory.ts';
import { smallText } from '../../util/files/small-file.ts';
import { worktreeError } from './worktree-error.ts';
import { agentWorktreeName, folderName } from './worktree-name.ts';

const LEASE_END = '.lease';

/** The folder of a checkout's worktrees. */
export function worktreesIn(root: string): string {
  return join(root, '.claude', 'worktrees');
}

/** Next to the worktree, so that it exists before git makes anything. */
export function leasePath(folder: string, worktree: string): string {
  return join(folder, `${worktree}${LEASE_END}`);
}

/** Makes the folder, and hides it from git. Throws where a link of the project would lead out of the checkout. */
export function makeWorktreesFolder(root: string): string {
  const folder = worktreesIn(root);
  const link = [dirname(folder), folder].find((path) => isLink(path));
  if (link === undefined) makeDirectory(folder);
  if (link !== undefined || realpathSync(folder) !== folder) {
    throw worktreeError('unsafe_folder', `${link ?? folder} is a link to another place: no worktree is made there`);
  }
  try {
    writeFileSync(join(folder, '.gitignore'), '*\n', { flag: 'wx' });
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
  return folder;
}

/** The nearest folder of worktrees that a directory is in, or next to. Null: there is none. Starts no git. */
export function nearestWorktreesFolder(cwd: string): string | null {
  for (let at = cwd; ; at = dirname(at)) {
    if (existsSync(worktreesIn(at))) return worktreesIn(at);
    if (dirname(at) === at) return null;
  }
}

/** Whether the worktree of an agent remains there. */
export function hasAgentWorktree(cwd: string, agentId: string): boolean {
  const folder = nearestWorktreesFolder(cwd);
  return folder !== null && existsSync(join(folder, folderName(agentWorktreeName(agentId))));
}

export interface FolderContent {
  /** The names of the worktree folders. */
  worktrees: string[];
  /** The names with a lease file, whether the worktree exists or not. */
  leased: string[];
}

export function contentOf(folder: string): FolderContent {
  const entries = readdirSync(folder, { withFileTypes: true });
  return {
    worktrees: entries.filter((entry) => entry.isDirectory()).map(({ name }) => name),
    leased: entries
      .filter((entry) => entry.isFile() && entry.name.endsWith(LEASE_END))
      .map(({ name }) => name.slice(0, -LEASE_END.length)),
  };
}

/**
 * The folder with git's data about a worktree; null: the path is no worktree of this repository. Checks the files in
 * both directions. Running git in a prepared directory would read its configuration.
 */
export function linkedTo(path: string, commonDir: string): string | null {
  const admin = gitDirOf(path);
  if (admin === null || dirname(admin) !== join(commonDir, 'worktrees')) return null;
  const back = smallFile(join(admin, 'gitdir'));
  return back !== null && existingPath(dirname(back.trim())) === path ? admin : null;
}

/** The folder that `.git` of a checkout is, or names; null: there is none. */
export function gitDirOf(checkout: string): string | null {
  const path = join(checkout, '.git');
  const named = /^gitdir: (.+)$/m.exec(smallFile(path) ?? '')?.[1];
  return existingPath(named === undefined ? path : resolve(checkout, named));
}

/** Whether git was killed while it made the worktree: it locks the worktree until it is done. */
export function isUnfinished(admin: string): boolean {
  return smallFile(join(admin, 'locked'))?.startsWith('initializing') === true;
}

/** Whether the path exists; a dangling link counts. */
export function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

const MAX_BYTES = 8192;

function smallFile(path: string): string | null {
  try {
    return lstatSync(path).isFile() ? smallText(path, MAX_BYTES) : null;
  } catch {
    return null;
  }
}
