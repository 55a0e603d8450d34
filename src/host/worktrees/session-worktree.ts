import { resolve } from 'node:path';
import type { Engine } from '../engine/engine.ts';
import type { LaunchedProject, SessionWorktree } from '../launch/launch-context.ts';
import { openWorktree } from './git-worktree.ts';
import { createByHooks, removeByHooks } from './hook-worktree.ts';
import { launchHooks } from './launch-hooks.ts';
import { sweepWorktrees } from './remove-stale-worktrees.ts';
import { settleWorktree } from './remove-worktree.ts';
import { findRepository, sameDirectory } from './repository.ts';
import { type Git, openGit } from './run-git.ts';
import { checkedName, madeUpName } from './worktree-name.ts';

/** How long git may take while a session ends. */
const LEAVE_MS = 4000;

/** Makes the worktree that `--worktree` asks for, or opens an existing one. Rejects with `worktree_failed`. */
export async function enterWorktree(
  engine: Engine,
  launched: LaunchedProject,
  signal: AbortSignal = new AbortController().signal,
): Promise<SessionWorktree> {
  const { worktree: wanted } = launched.config;
  const isNamed = typeof wanted === 'string' && wanted !== '';
  const name = isNamed ? checkedName(wanted) : madeUpName(engine.runtime.ids.uuid());
  return (await enterByHooks(engine, launched, { name, isNamed, signal })) ?? enterByGit();

  async function enterByGit(): Promise<SessionWorktree> {
    const { project, configuration, env } = launched;
    const { log } = engine.runtime;
    const roots = [project, ...(launched.config.addDir ?? []).map((path) => resolve(project, path))];
    const isTrusted = (await configuration.projectTrust()) === 'trusted';
    const git: Git = openGit({ run: engine.processes.run, env, roots, isTrusted });
    const repository = await findRepository(git, project, { signal });
    await sweepWorktrees(git, repository, { signal, log });
    const worktree = await openWorktree(git, repository, name, { signal });
    return {
      cwd: sameDirectory(worktree.path, { checkout: repository.checkout, cwd: project }),
      async leave() {
        const limits = { signal: AbortSignal.timeout(LEAVE_MS), log };
        const fate = isNamed ? 'kept' : await settleWorktree(git, worktree, limits);
        worktree.lease.release();
        if (fate === 'kept') log('info', `The worktree is ${worktree.path}, its branch ${worktree.branch}`);
      },
    };
  }
}

async function enterByHooks(
  engine: Engine,
  launched: LaunchedProject,
  { name, isNamed, signal }: { name: string; isNamed: boolean; signal: AbortSignal },
): Promise<SessionWorktree | null> {
  const hooks = launchHooks(engine, launched);
  const cwd = await createByHooks(hooks, { name, project: launched.project }, signal);
  if (cwd === null) return null;
  return {
    cwd,
    async leave() {
      if (!isNamed) await removeByHooks(hooks, cwd, AbortSignal.timeout(LEAVE_MS));
    },
  };
}
