import { join } from 'node:path';
import { readLease } from '../../sessions/lease-file.ts';
import { messageOf } from '../../util/message-of.ts';
import { isGone } from '../../util/process-identity.ts';
import type { Logger } from '../../util/runtime.ts';
import type { Git, GitLimits } from './git.ts';
import { discardUnfinished, type GitWorktree } from './git-worktree.ts';
import { holdWorktree } from './hold-worktree.ts';
import type { Repository } from './repository.ts';
import { settleWorktree } from './settle-worktree.ts';
import { contentOf, isUnfinished, leasePath, linkedTo, makeWorktreesFolder } from './worktree-folder.ts';
import { branchName, isMadeUp } from './worktree-name.ts';

/** What is left over waits for the next time. */
const AT_ONCE = 20;

/**
 * Looks after worktrees whose process was killed: those that nobody has named and that hold no work are removed, the
 * others stay. Never rejects.
 */
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

/** The worktrees with a made-up name whose process has surely ended. */
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
  const hold = await holdWorktree(folder, name);
  try {
    const worktree: GitWorktree = { repository, path: join(folder, name), branch: branchName(name), hold };
    const admin = linkedTo(worktree.path, repository.commonDir);
    if (admin !== null && isUnfinished(admin)) await discardUnfinished(git, worktree, limits);
    else await settleWorktree(git, worktree, limits);
  } finally {
    hold.release();
  }
}
