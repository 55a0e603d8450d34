import type { Hooks } from '../../hooks/dispatch.ts';
import type { Policy } from '../../permissions/policy.ts';
import type { BackgroundTasks } from '../../tools/background/background-tasks.ts';
import { ToolError } from '../../tools/tool.ts';
import { createLocalWorkspace } from '../../tools/workspace/local-workspace.ts';
import type { Workspace } from '../../tools/workspace.ts';
import { isInside } from '../../util/files/path-inside.ts';
import type { Runtime } from '../../util/runtime.ts';
import { HeddleError } from '../../wire/errors.ts';
import type { Env } from '../engine/environment.ts';
import type { Configuration } from '../launch/configuration.ts';
import { openWorktree } from './git-worktree.ts';
import { createByHooks, removeByHooks } from './hook-worktree.ts';
import { sweepWorktrees } from './remove-stale-worktrees.ts';
import { settleWorktree } from './remove-worktree.ts';
import { findRepository, sameDirectory } from './repository.ts';
import { openGit } from './run-git.ts';
import { agentWorktreeName } from './worktree-name.ts';

/** The worktree of an agent. */
export interface AgentWorktree {
  workspace: Workspace;
  /** The branch; null where hooks have made the worktree. */
  branch: string | null;
  /** The caller's policy, for the worktree: the checkout is not one of its directories. */
  moved(policy: Policy): Policy;
  /** Called when the agent has ended. Removes a worktree without changes, and resolves with null. Never rejects. */
  settle(): Promise<RemainingWorktree | null>;
}

export interface RemainingWorktree {
  path: string;
  /** Absent where hooks have made it. */
  branch?: string;
}

/** A worktree that was made, and how it ends. */
interface MadeWorktree {
  /** The top of the worktree. */
  path: string;
  /** Where the agent works. */
  cwd: string;
  /** The directories that it replaces. */
  checkouts: readonly string[];
  branch: string | null;
  end(): Promise<'kept' | 'removed'>;
}

/** The parts of the calling thread that making a worktree takes. */
export interface WorktreeCaller {
  readonly services: {
    readonly runtime: Runtime;
    readonly configuration: Configuration;
    readonly storage: { readonly home: string | null };
    readonly background: { readonly tasks: Pick<BackgroundTasks, 'list'> };
  };
  readonly workplace: { readonly workspace: Workspace; environment(): Env };
  readonly permissions: { readonly policy: Policy };
  readonly hooks: { readonly current: Pick<Hooks, 'asked' | 'fire'> | null };
}

const SETTLE_MS = 30_000;

/** Makes the worktree of an agent, or opens it again for a resumed agent. Throws ToolError. */
export async function openAgentWorktree(
  parent: WorktreeCaller,
  agentId: string,
  signal: AbortSignal,
): Promise<AgentWorktree> {
  const { runtime, storage, background } = parent.services;
  const { workspace } = parent.workplace;
  const began = runtime.clock.now();
  const made = await make(parent, agentWorktreeName(agentId), signal).catch((error) => {
    throw HeddleError.isInstance(error) ? new ToolError(`The agent was not started. ${error.message}`) : error;
  });
  const { path, cwd, checkouts, branch } = made;
  const isLeft = (root: string) => checkouts.some((checkout) => isInside(checkout, root) || isInside(root, checkout));
  const rootsOf = (roots: readonly string[]) => [cwd, ...roots.filter((root) => !isLeft(root))];
  return {
    branch,
    workspace: createLocalWorkspace({
      cwd,
      roots: rootsOf(workspace.roots),
      home: parent.permissions.policy.home ?? '',
      privateDir: storage.home,
      processes: { run: (spec, runSignal) => workspace.exec(spec, runSignal), close: async () => {} },
    }),
    moved: (policy) => ({
      ...policy,
      cwd,
      roots: rootsOf(policy.roots),
      checkouts: [...(policy.checkouts ?? []), policy.cwd],
    }),
    async settle() {
      const isFree = !isStillUsed(background.tasks, agentId, began);
      const fate = isFree ? await made.end() : 'kept';
      return fate === 'removed' ? null : { path, ...(branch !== null && { branch }) };
    },
  };
}

async function make(parent: WorktreeCaller, name: string, signal: AbortSignal): Promise<MadeWorktree> {
  const { runtime, configuration } = parent.services;
  const { workspace } = parent.workplace;
  const made = await createByHooks(parent.hooks.current, { name, project: workspace.cwd }, signal);
  const late = () => ({ signal: AbortSignal.timeout(SETTLE_MS), log: runtime.log });
  if (made !== null) {
    const end = () => removeByHooks(parent.hooks.current, made, late().signal);
    return { path: made, cwd: made, checkouts: [workspace.cwd], branch: null, end };
  }
  const git = openGit({
    run: (spec, runSignal) => workspace.exec(spec, runSignal),
    env: parent.workplace.environment(),
    roots: [...workspace.roots, ...parent.permissions.policy.roots],
    isTrusted: (await configuration.projectTrust()) === 'trusted',
  });
  const repository = await findRepository(git, workspace.cwd, { signal });
  await sweepWorktrees(git, repository, { signal, log: runtime.log });
  const worktree = await openWorktree(git, repository, name, { signal });
  const { path, branch, lease } = worktree;
  return {
    path,
    cwd: sameDirectory(path, { checkout: repository.checkout, cwd: workspace.cwd }),
    checkouts: [...new Set([repository.root, repository.checkout])],
    branch,
    async end() {
      const fate = await settleWorktree(git, worktree, late());
      lease.release();
      return fate;
    },
  };
}

/** A task that the agent has started in the background may still work in the worktree. */
function isStillUsed(tasks: Pick<BackgroundTasks, 'list'>, agentId: string, began: number): boolean {
  return tasks
    .list()
    .some(
      ({ status, type, agent, startedAt }) =>
        status === 'running' && (agent?.parentTaskId === agentId || (type === 'local_bash' && startedAt >= began)),
    );
}
