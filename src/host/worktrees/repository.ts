import { realpathSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { existingPath } from '../../util/files/existing-path.ts';
import { type Git, type GitLimits, saidBy } from './run-git.ts';
import { worktreeError } from './worktree-error.ts';
import { gitDirOf, linkedTo } from './worktree-folder.ts';

export interface Repository {
  /** The main checkout, which holds the worktrees. A real path. */
  root: string;
  /** The checkout of the given directory, which may be a worktree itself. A real path. */
  checkout: string;
  /** The git folder that all worktrees share. A real path. */
  commonDir: string;
  /** The checked-out commit. */
  head: string;
}

/** Finds the repository of a directory. Rejects where there is none, or nothing to check out. */
export async function findRepository(git: Git, cwd: string, limits: GitLimits): Promise<Repository> {
  const places = ['rev-parse', '--path-format=absolute', '--show-toplevel', '--git-common-dir', '--git-dir'];
  const found = await git.run(cwd, places, limits);
  const [top, common, own] = found.stdout.split('\n');
  if (found.exitCode !== 0 || !top || !common || !own) {
    throw worktreeError('no_repository', `${cwd} is in no git repository that has files checked out: ${saidBy(found)}`);
  }
  const head = await git.run(cwd, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'], limits);
  if (head.exitCode !== 0) {
    throw worktreeError('no_commit', `The git repository of ${cwd} has no commit yet that a worktree could begin with`);
  }
  const checkout = realpathSync(top);
  const commonDir = realpathSync(common);
  if (gitDirOf(checkout) !== realpathSync(own)) {
    throw worktreeError('no_repository', `${checkout}, which the repository of ${cwd} names, is no checkout of it`);
  }
  // The repository of a submodule is elsewhere, and a `.git` file may name a repository that does not know the checkout.
  const isKnown = join(checkout, '.git') === commonDir || linkedTo(checkout, commonDir) !== null;
  const root = isKnown && basename(commonDir) === '.git' ? dirname(commonDir) : checkout;
  return { root, checkout, commonDir, head: head.stdout.trim() };
}

/**
 * The directory in a worktree that corresponds to a directory of the checkout. It is the top of the worktree where the
 * commit has no such directory, or a link instead of it.
 */
export function sameDirectory(worktree: string, { checkout, cwd }: { checkout: string; cwd: string }): string {
  const path = join(worktree, relative(checkout, cwd));
  return existingPath(path) === path ? path : worktree;
}
