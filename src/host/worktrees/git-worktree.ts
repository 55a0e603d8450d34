import { rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { leaseWorktree, type WorktreeLease } from './lease-worktree.ts';
import type { Repository } from './repository.ts';
import { type Git, type GitLimits, saidBy } from './run-git.ts';
import { worktreeError } from './worktree-error.ts';
import { isThere, isUnfinished, linkedTo, makeWorktreesFolder } from './worktree-folder.ts';
import { branchName, folderName } from './worktree-name.ts';

/** A worktree of git. No other session works in it while its lease is held. */
export interface GitWorktree {
  repository: Repository;
  /** A real path. */
  path: string;
  /** The branch of the worktree. */
  branch: string;
  lease: WorktreeLease;
}

/** The checkout of a large repository takes long. */
const ADD_MS = 120_000;

/**
 * Makes a worktree with its own branch from the checked-out commit, or opens the existing one of that name. Rejects
 * with `in_use`, and with `name_taken` when something else has the path.
 */
export async function openWorktree(
  git: Git,
  repository: Repository,
  name: string,
  limits: GitLimits,
): Promise<GitWorktree> {
  const folder = makeWorktreesFolder(repository.root);
  const lease = await leaseWorktree(folder, folderName(name));
  const worktree = { repository, path: join(folder, folderName(name)), branch: branchName(name), lease };
  try {
    await makeOrReuse(git, worktree, limits);
    return worktree;
  } catch (error) {
    lease.release();
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
  // With force: git may still remember a worktree at this path.
  const args = ['worktree', 'add', '--force', '--quiet', '--no-track', '-b', branch, path, repository.head];
  try {
    const added = await git.run(repository.checkout, args, { ...limits, timeoutMs: ADD_MS });
    if (added.exitCode !== 0) throw worktreeError('git_failed', `The worktree could not be made: ${saidBy(added)}`);
  } catch (error) {
    await discardUnfinished(git, worktree, { signal: AbortSignal.timeout(ADD_MS) }).catch(() => {});
    throw error;
  }
}

/** Removes a worktree that git did not finish. It holds no work. */
export async function discardUnfinished(git: Git, worktree: GitWorktree, limits: GitLimits): Promise<void> {
  const { repository, path } = worktree;
  if (linkedTo(path, repository.commonDir) !== null) {
    await git.run(repository.root, ['worktree', 'remove', '--force', '--force', path], limits);
  } else if (isThere(path)) {
    rmdirSync(path); // only an empty folder
  }
  await dropBranch(git, worktree, limits);
}

/** Removes the branch, unless it has commits that nothing else leads to. */
export async function dropBranch(git: Git, worktree: GitWorktree, limits: GitLimits): Promise<void> {
  const tip = await tipOf(git, worktree, limits);
  if (tip === null || (await hasOwnCommits(git, worktree, tip, limits))) return;
  // Only at the commit that was checked: another process may commit meanwhile.
  await git.run(worktree.repository.root, ['update-ref', '-d', `refs/heads/${worktree.branch}`, tip], limits);
}

/** The newest commit of the branch; null: there is no such branch. */
export async function tipOf(git: Git, { repository, branch }: GitWorktree, limits: GitLimits): Promise<string | null> {
  const args = ['rev-parse', '--verify', '--quiet', `refs/heads/${branch}`];
  const { exitCode, stdout } = await git.run(repository.root, args, limits);
  return exitCode === 0 ? stdout.trim() : null;
}

/** Whether no other branch, tag or remote leads to these commits. If git cannot tell, they count as work. */
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
