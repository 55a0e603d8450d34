import { messageOf } from '../../util/message-of.ts';
import type { Logger } from '../../util/runtime.ts';
import { dropBranch, type GitWorktree, hasOwnCommits, tipOf } from './git-worktree.ts';
import type { Git, GitLimits } from './run-git.ts';
import { isThere, linkedTo } from './worktree-folder.ts';

/**
 * Removes a worktree without changes, with its branch. Resolves with whether it was kept. Never rejects: a worktree
 * that cannot be examined is kept, and that is logged.
 */
export async function settleWorktree(
  git: Git,
  worktree: GitWorktree,
  { log, ...limits }: GitLimits & { log: Logger },
): Promise<'kept' | 'removed'> {
  try {
    if (await hasWork(git, worktree, limits)) return 'kept';
    return (await remove(git, worktree, limits)) ? 'removed' : 'kept';
  } catch (error) {
    log('warn', `The worktree ${worktree.path} was kept, because it could not be looked at: ${messageOf(error)}`);
    return 'kept';
  }
}

/**
 * Whether a removal would lose anything: changed or new files, or commits that nothing else leads to. Ignored files do
 * not count.
 */
async function hasWork(git: Git, worktree: GitWorktree, limits: GitLimits): Promise<boolean> {
  const { path, repository } = worktree;
  if (!isThere(path)) return false;
  if (linkedTo(path, repository.commonDir) === null) return true; // a path that leads elsewhere now is not examined
  const status = await git.run(path, ['status', '--porcelain', '--ignore-submodules=dirty'], limits);
  if (status.exitCode !== 0 || status.stdout !== '') return true;
  const head = await git.run(path, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'], limits);
  if (head.exitCode !== 0) return true;
  const tips = new Set([head.stdout.trim(), (await tipOf(git, worktree, limits)) ?? head.stdout.trim()]);
  for (const tip of tips) if (await hasOwnCommits(git, worktree, tip, limits)) return true;
  return false;
}

/** Without force: git checks again, and refuses when files have changed since. */
async function remove(git: Git, worktree: GitWorktree, limits: GitLimits): Promise<boolean> {
  const { path, repository } = worktree;
  if (isThere(path)) {
    const { exitCode } = await git.run(repository.root, ['worktree', 'remove', path], { ...limits, alsoIn: path });
    if (exitCode !== 0) return false;
  }
  await dropBranch(git, worktree, limits);
  return true;
}
