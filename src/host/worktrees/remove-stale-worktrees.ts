import { join } from 'node:path';
import { readLease } from '../../sessions/stores/lease-file.ts';
import { messageOf } from '../../util/message-of.ts';
import { isGone } from '../../util/process/process-identity.ts';
import type { Logger } from '../../util/runtime.ts';
import { discardUnfinished, type GitWorktree } from './git-worktree.ts';
import { leaseWorktree } from './lease-worktree.ts';
import { settleWorktree } from './remove-worktree.ts';
import type { Repository } from './repository.ts';
import type { Git, GitLimits } from './run-git.ts';
import { contentOf, isUnfinished, leasePath, linkedTo, makeWorktreesFolder } from './worktree-folder.ts';
import { branchName, isMadeUp } from './worktree-name.ts';

/** Further worktrees wait for the next time. */
const AT_ONCE = 20;

/** Removes worktrees of killed processes that have a generated name and hold no work. Never rejects. */
export async function sweepWorktrees(
  git: Git,
  repository: Repository,
  limits: GitLimits & { log: Logger },
): Promise<void> {
  try {
    const folder = makeWorktreesFolder(repository.root);
    for (const name of orphansIn(folder).slice(0, AT_ONCE)) {
      await sweep(git, { repository, folder, name }, limits);
    }
  } catch (error) {
    limits.log('debug', `Worktrees that were left could not be looked after: ${messageOf(error)}`);
  }
}

/** The worktrees with a generated name whose process has certainly ended. */
export function orphansIn(folder: string): string[] {
  return contentOf(folder).leased.filter((name) => {
    const lease = isMadeUp(name) ? readLease(leasePath(folder, name)) : null;
    return lease !== null && !lease.isUnwritten && isGone(lease.record) === true;
  });
}

async function sweep(
  git: Git,
  { repository, folder, name }: { repository: Repository; folder: string; name: string },
  limits: GitLimits & { log: Logger },
): Promise<void> {
  const lease = await leaseWorktree(folder, name);
  try {
    const worktree: GitWorktree = { repository, path: join(folder, name), branch: branchName(name), lease };
    const admin = linkedTo(worktree.path, repository.commonDir);
    if (admin !== null && isUnfinished(admin)) await discardUnfinished(git, worktree, limits);
    else await settleWorktree(git, worktree, limits);
  } finally {
    lease.release();
  }
}
