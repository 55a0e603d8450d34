import { messageOf } from '../../util/message-of.ts';
import type { Logger } from '../../util/runtime.ts';
import type { Git, GitLimits } from './git.ts';
import { dropBranch, type GitWorktree, hasOwnCommits, tipOf } from './git-worktree.ts';
import { isThere, linkedTo } from './worktree-folder.ts';

/**
 * Ends the work in a worktree: one without changes is removed, with its branch. Resolves with whether it was kept. Never
 * rejects: what cannot be looked at is kept, and said.
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

/** Whether anything would be lost: changed or new files, or commits that nothing else leads to. Ignored files do not count. */
async function hasWork(git: Git, worktree: GitWorktree, limits: GitLimits): Promise<boolean> {
  const { path, repository } = worktree;
  if (!isThere(path)) return false;
  if (linkedTo(path, repository.commonDir) === null) return true; // what leads elsewhere now is not asked about
  const status = await git.run(path, ['status', '--porcelain', '--ignore-submodules=dirty'], limits);
  if (status.exitCode !== 0 || status.stdout !== '') return true;
  const head = await git.run(path, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'], limits);
  if (head.exitCode !== 0) return true;
  const tips = new Set([head.stdout.trim(), (await tipOf(git, worktree, limits)) ?? head.stdout.trim()]);
  for (const tip of tips) if (await hasOwnCommits(git, worktree, tip, limits)) return true;
  return false;
}

/** Without force: git looks once more, and refuses where files have changed since. */
async function remove(git: Git, worktree: GitWorktree, limits: GitLimits): Promise<boolean> {
  const { path, repository } = worktree;
  if (isThere(path)) {
    const { exitCode } = await git.run(repository.root, ['worktree', 'remove', path], { ...limits, alsoIn: path });
    if (exitCode !== 0) return false;
  }
  await dropBranch(git, worktree, limits);
  return true;
}
