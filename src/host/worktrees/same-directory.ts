import { realpathSync } from 'node:fs';
import { join, relative } from 'node:path';

/**
 * The directory in a worktree that stands for one of the checkout. Where the commit has none there, or a link that may
 * lead anywhere, it is the top of the worktree.
 */
export function sameDirectory(worktree: string, { checkout, cwd }: { checkout: string; cwd: string }): string {
  const path = join(worktree, relative(checkout, cwd));
  try {
    return realpathSync(path) === path ? path : worktree;
  } catch {
    return worktree;
  }
}
