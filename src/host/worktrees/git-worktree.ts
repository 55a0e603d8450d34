import { rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Git, type GitLimits, saidBy } from './git.ts';
import { type Hold, holdWorktree } from './hold-worktree.ts';
import type { Repository } from './repository.ts';
import { worktreeError } from './worktree-error.ts';
import { isThere, isUnfinished, linkedTo, makeWorktreesFolder } from './worktree-folder.ts';
import { branchName, folderName } from './worktree-name.ts';

/** A worktree that git has made, and that nobody else works in as long as it is held. */
export interface GitWorktree {
  repository: Repository;
  /** A real path. */
  path: string;
  /** The branch that was made with it. */
  branch: string;
  hold: Hold;
}

/** A checkout of a large repository takes its time. */
const ADD_MS = 120_000;

/**
 * Makes a worktree with a branch of its own from the commit that is checked out, or takes the one of that name up again.
 * Rejects with `in_use`, and with `name_taken` for what is in its place.
 */
export async function openWorktree(
  git: Git,
  repository: Repository,
  name: string,
  limits: GitLimits,
): Promise<GitWorktree> {
  const folder = makeWorktreesFolder(repository.root);
  const hold = await holdWorktree(folder, folderName(name));
  const worktree = { repository, path: join(folder, folderName(name)), branch: branchName(name), hold };
  try {
    await makeOrReuse(git, worktree, limits);
    return worktree;
  } catch (error) {
    hold.release();
    throw error;
  }
}

async function makeOrReuse(git: Git, worktree: GitWorktree, limits: GitLimits): Promise<void> {
  const { path, repository, branch } = worktree;
  const admin = linkedTo(path, repository.commonDir);
  if (admin !== null && !isUnfinished(admin)) return;
  if (admin !== null) await discardUnfinished(git, worktree, limits);
  if (isThere(path)) {
    throw worktreeError('name_taken', `${path} is there and no worktree of this repository: choose another name`, {
      facts: { path },
    });
  }
  if ((await tipOf(git, worktree, limits)) !== null) {
    throw worktreeError(
      'name_taken',
      `There is a branch ${branch} without its worktree: choose another name, or make it with \`git worktree add ${path} ${branch}\``,
      { facts: { path, branch } },
    );
  }
  await add(git, worktree, limits);
}

async function add(git: Git, worktree: GitWorktree, limits: GitLimits): Promise<void> {
  const { repository, path, branch } = worktree;
  // With force, because git may still remember one that was in this place.
  const args = ['worktree', 'add', '--force', '--quiet', '--no-track', '-b', branch, path, repository.head];
  try {
    const added = await git.run(repository.checkout, args, { ...limits, timeoutMs: ADD_MS });
    if (added.exitCode !== 0) throw worktreeError('git_failed', `The worktree could not be made: ${saidBy(added)}`);
  } catch (error) {
    await discardUnfinished(git, worktree, { signal: AbortSignal.timeout(ADD_MS) }).catch(() => {});
    throw error;
  }
}

/** Takes away what git had begun to make. Nobody has worked in it. */
export async function discardUnfinished(git: Git, worktree: GitWorktree, limits: GitLimits): Promise<void> {
  const { repository, path } = worktree;
  if (linkedTo(path, repository.commonDir) !== null) {
    await git.run(repository.root, ['worktree', 'remove', '--force', '--force', path], limits);
  } else if (isThere(path)) {
    rmdirSync(path); // only where it is empty
  }
  await dropBranch(git, worktree, limits);
}

/** Removes its branch, unless there is work in it that nothing else leads to. */
export async function dropBranch(git: Git, worktree: GitWorktree, limits: GitLimits): Promise<void> {
  const tip = await tipOf(git, worktree, limits);
  if (tip === null || (await hasOwnCommits(git, worktree, tip, limits))) return;
  // Only as it was looked at: somebody may commit to it meanwhile.
  await git.run(worktree.repository.root, ['update-ref', '-d', `refs/heads/${worktree.branch}`, tip], limits);
}

/** The newest commit of the branch; null when there is no such branch. */
export async function tipOf(git: Git, { repository, branch }: GitWorktree, limits: GitLimits): Promise<string | null> {
  const args = ['rev-parse', '--verify', '--quiet', `refs/heads/${branch}`];
  const { exitCode, stdout } = await git.run(repository.root, args, limits);
  return exitCode === 0 ? stdout.trim() : null;
}

/** Whether commits up to this one can be reached by no other branch, tag or remote. What git cannot tell counts as work. */
export async function hasOwnCommits(
  git: Git,
  { repository, branch }: GitWorktree,
  commit: string,
  limits: GitLimits,
): Promise<boolean> {
  const others = ['--not', `--exclude=refs/heads/${branch}`, '--all'];
  const args = ['rev-list', '--count', '--max-count=1', '--single-worktree', commit, ...others];
  const { exitCode, stdout } = await git.run(repository.root, args, limits);
  return exitCode !== 0 || stdout.trim() !== '0';
}
