import { realpathSync, statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import type { Hooks } from '../../hooks/dispatch.ts';
import { isInside } from '../../permissions/paths.ts';
import { printable } from '../../util/printable.ts';
import { worktreeError } from './worktree-error.ts';
import { isThere } from './worktree-folder.ts';

type Asked = Pick<Hooks, 'asked' | 'fire'>;

/**
 * Has WorktreeCreate hooks make the directory, in the place of git. Resolves with its real path; null when there are no
 * such hooks. Rejects with `hook_failed` when they object or name none that can be worked in.
 */
export async function createByHooks(
  hooks: Asked | null,
  { name, project }: { name: string; project: string },
  signal: AbortSignal,
): Promise<string | null> {
  if (!hooks || hooks.asked('WorktreeCreate').length === 0) return null;
  const { block, runs } = await hooks.fire('WorktreeCreate', { name }, signal);
  if (block !== null) throw worktreeError('hook_failed', `There is no worktree: ${block}`);
  const path = runs.findLast(({ answer }) => answer.worktreePath !== null)?.answer.worktreePath;
  if (path === undefined || path === null) {
    throw worktreeError('hook_failed', 'There is no worktree: no WorktreeCreate hook has named the directory it made');
  }
  return checkedDirectory(path, project);
}

/** Leaves it to WorktreeRemove hooks what becomes of the directory. Resolves with whether it is still there. */
export async function removeByHooks(
  hooks: Asked | null,
  path: string,
  signal: AbortSignal,
): Promise<'kept' | 'removed'> {
  await hooks?.fire('WorktreeRemove', { worktree_path: path }, signal);
  return isThere(path) ? 'kept' : 'removed';
}

/** What holds the project itself is no copy of it, and would open more than the project. */
function checkedDirectory(path: string, project: string): string {
  const real = isAbsolute(path) ? realDirectory(path) : null;
  if (real !== null && !isInside(real, project)) return real;
  throw worktreeError(
    'hook_failed',
    `A WorktreeCreate hook must name the directory that it made, by its absolute path and apart from ${project}. It named: ${printable(path)}`,
  );
}

function realDirectory(path: string): string | null {
  try {
    const real = realpathSync(path);
    return statSync(real).isDirectory() ? real : null;
  } catch {
    return null;
  }
}
