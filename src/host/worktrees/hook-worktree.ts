import { realpathSync, statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import type { Hooks } from '../../hooks/dispatch.ts';
import { isInside } from '../../util/files/path-inside.ts';
import { printable } from '../../util/text/printable.ts';
import { worktreeError } from './worktree-error.ts';
import { isThere } from './worktree-folder.ts';

type Asked = Pick<Hooks, 'asked' | 'fire'>;

/**
 * Lets WorktreeCreate hooks make the directory, instead of git. Resolves with its real path; null: there are no such
 * hooks. Rejects with `hook_failed` when they object or name no usable directory.
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

/** Lets WorktreeRemove hooks remove the directory. Resolves with whether it still exists. */
export async function removeByHooks(
  hooks: Asked | null,
  path: string,
  signal: AbortSignal,
): Promise<'kept' | 'removed'> {
  await hooks?.fire('WorktreeRemove', { worktree_path: path }, signal);
  return isThere(path) ? 'kept' : 'removed';
}

/** Refuses a directory that contains the project: it is no copy, and would give access to more than the project. */
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
