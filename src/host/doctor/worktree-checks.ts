import { join } from 'node:path';
import { orphansIn } from '../worktrees/sweep-worktrees.ts';
import { contentOf, nearestWorktreesFolder } from '../worktrees/worktree-folder.ts';
import type { Check, DoctorPlace } from './check.ts';

/** The worktrees of the project; nothing where it has none. Starts no git. */
export async function gatherWorktrees({ cwd }: DoctorPlace): Promise<Check[]> {
  const folder = nearestWorktreesFolder(cwd);
  if (folder === null) return [];
  const { worktrees, leased } = contentOf(folder);
  const left = orphansIn(folder);
  const used = leased.filter((name) => worktrees.includes(name) && !left.includes(name));
  const facts = { folder, worktrees, used, left };
  if (worktrees.length === 0) return [{ id: 'worktrees', status: 'ok', summary: 'none', facts }];
  const gone =
    left.length > 0
      ? `, ${left.length} left by processes that are gone (the next run with a worktree looks after them)`
      : '';
  const summary = `${worktrees.length} in ${folder}, ${used.length} in use${gone}`;
  const next = `git worktree remove ${join(folder, 'NAME')}`;
  return [{ id: 'worktrees', status: 'ok', summary, next, facts }];
}
