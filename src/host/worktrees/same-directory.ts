import { join, relative } from 'node:path';
import { existingPath } from '../../util/existing-path.ts';

/**
 * The directory in a worktree that stands for one of the checkout. Where the commit has none there, or a link that may
 * lead anywhere, it is the top of the worktree.
 */
export function sameDirectory(worktree: string, { checkout, cwd }: { checkout: string; cwd: string }): string {
  const path = join(worktree, relative(checkout, cwd));
  return existingPath(path) === path ? path : worktree;
}
