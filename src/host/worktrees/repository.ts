import { realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type Git, type GitLimits, saidBy } from './git.ts';
import { worktreeError } from './worktree-error.ts';
import { gitDirOf, linkedTo } from './worktree-folder.ts';

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
  // A submodule has its repository elsewhere, and a file may name one that knows nothing of it.
  const isKnown = join(checkout, '.git') === commonDir || linkedTo(checkout, commonDir) !== null;
  const root = isKnown && basename(commonDir) === '.git' ? dirname(commonDir) : checkout;
  return { root, checkout, commonDir, head: head.stdout.trim() };
}
