import { realpathSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { type Git, type GitLimits, saidBy } from './git.ts';
import { worktreeError } from './worktree-error.ts';

export interface Repository {
  /** The main checkout, where the worktrees are kept. A real path. */
  root: string;
  /** The checkout that was asked from, which may be a worktree itself. A real path. */
  checkout: string;
  /** What all worktrees share. A real path. */
  commonDir: string;
  /** The commit that is checked out there. */
  head: string;
}

/** The repository that a directory belongs to. Rejects where there is none, or nothing to check out. */
export async function findRepository(git: Git, cwd: string, limits: GitLimits): Promise<Repository> {
  const places = ['rev-parse', '--path-format=absolute', '--show-toplevel', '--git-common-dir'];
  const found = await git.run(cwd, places, limits);
  const [top, common] = found.stdout.split('\n');
  if (found.exitCode !== 0 || !top || !common) {
    throw worktreeError('no_repository', `${cwd} is in no git repository that has files checked out: ${saidBy(found)}`);
  }
  const head = await git.run(cwd, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'], limits);
  if (head.exitCode !== 0) {
    throw worktreeError('no_commit', `The git repository of ${cwd} has no commit yet that a worktree could begin with`);
  }
  const checkout = realpathSync(top);
  const commonDir = realpathSync(common);
  // A submodule has its repository elsewhere.
  const root = basename(commonDir) === '.git' ? dirname(commonDir) : checkout;
  return { root, checkout, commonDir, head: head.stdout.trim() };
}
