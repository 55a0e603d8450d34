import { HeddleError } from '../../wire/errors.ts';

/** Why there is no worktree; programs read it in `facts.reason`. */
export type WorktreeProblem =
  | 'bad_name'
  | 'no_git'
  | 'no_repository'
  | 'no_commit'
  | 'name_taken'
  | 'in_use'
  | 'unsafe_folder'
  | 'hook_failed'
  | 'git_failed';

export function worktreeError(
  reason: WorktreeProblem,
  message: string,
  { facts = {}, cause }: { facts?: Record<string, unknown>; cause?: unknown } = {},
): HeddleError {
  return new HeddleError('worktree_failed', message, { facts: { reason, ...facts }, cause });
}
