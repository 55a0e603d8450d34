import { resolve } from 'node:path';
import type { RunConfig } from '../../wire/run-config.ts';
import type { Configuration } from '../configuration.ts';
import type { Engine } from '../engine.ts';
import type { Env } from '../home.ts';
import { type Git, openGit } from './git.ts';
import { openWorktree } from './git-worktree.ts';
import { createByHooks, removeByHooks } from './hook-worktree.ts';
import { launchHooks } from './launch-hooks.ts';
import { findRepository } from './repository.ts';
import { sameDirectory } from './same-directory.ts';
import { settleWorktree } from './settle-worktree.ts';
import { sweepWorktrees } from './sweep-worktrees.ts';
import { checkedName, madeUpName } from './worktree-name.ts';

/** The worktree that a session runs in. */
export interface SessionWorktree {
  /** Where the session works, a real path. */
  cwd: string;
  /** The session is over: a worktree that nobody has named and that holds no work is removed. Never rejects. */
  leave(): Promise<void>;
}

export interface LaunchedProject {
  /** Where the launch was: its settings and its trust count. A real path. */
  project: string;
  config: RunConfig;
  configuration: Configuration;
  env: Env;
}

/** What git may take when somebody waits for the end. */
const LEAVE_MS = 4000;

/** Makes the worktree that `--worktree` asks for, or takes it up again. Rejects with `worktree_failed`. */
export async function enterWorktree(
  engine: Engine,
  launched: LaunchedProject,
  signal: AbortSignal = new AbortController().signal,
): Promise<SessionWorktree> {
  const given = launched.config.worktree;
  const isNamed = typeof given === 'string' && given !== '';
  const name = isNamed ? checkedName(given) : madeUpName(engine.runtime.ids.uuid());
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
        worktree.hold.release();
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
