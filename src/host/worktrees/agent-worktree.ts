import { isInside } from '../../permissions/paths.ts';
import type { Policy } from '../../permissions/policy.ts';
import { createLocalWorkspace } from '../../tools/local-workspace.ts';
import { ToolError } from '../../tools/tool.ts';
import type { Workspace } from '../../tools/workspace.ts';
import { HeddleError } from '../../wire/errors.ts';
import type { Parts } from '../parts.ts';
import { openGit } from './git.ts';
import { openWorktree } from './git-worktree.ts';
import { createByHooks, removeByHooks } from './hook-worktree.ts';
import { findRepository } from './repository.ts';
import { sameDirectory } from './same-directory.ts';
import { settleWorktree } from './settle-worktree.ts';
import { sweepWorktrees } from './sweep-worktrees.ts';
import { agentWorktreeName } from './worktree-name.ts';

/** The worktree of an agent. */
export interface AgentWorktree {
  workspace: Workspace;
  /** The branch, where git has made it. */
  branch: string | null;
  /** The policy of the one that it works for, in the worktree: the checkout is none of its directories any more. */
  moved(policy: Policy): Policy;
  /** The agent has ended: a worktree without changes is removed, null. Never rejects. */
  settle(): Promise<KeptWorktree | null>;
}

export interface KeptWorktree {
  path: string;
  /** Absent where hooks have made it. */
  branch?: string;
}

/** Where it is, and what becomes of it. */
interface MadeWorktree {
  /** Its top. */
  path: string;
  /** Where the agent works. */
  cwd: string;
  /** The directories that it stands for. */
  checkouts: readonly string[];
  branch: string | null;
  end(): Promise<'kept' | 'removed'>;
}

const SETTLE_MS = 30_000;

/** Makes the worktree of an agent, or takes it up again with an agent that is gone on with. Throws ToolError. */
export async function openAgentWorktree(parent: Parts, agentId: string, signal: AbortSignal): Promise<AgentWorktree> {
  const began = parent.runtime.clock.now();
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
      roots: rootsOf(parent.workspace.roots),
      home: parent.permissions.policy.home ?? '',
      privateDir: parent.home,
      processes: { run: (spec, runSignal) => parent.workspace.exec(spec, runSignal), close: async () => {} },
    }),
    moved: (policy) => ({
      ...policy,
      cwd,
      roots: rootsOf(policy.roots),
      checkouts: [...(policy.checkouts ?? []), policy.cwd],
    }),
    async settle() {
      const isFree = !isStillUsed(parent, agentId, began);
      const fate = isFree ? await made.end() : 'kept';
      return fate === 'removed' ? null : { path, ...(branch !== null && { branch }) };
    },
  };
}

async function make(parent: Parts, name: string, signal: AbortSignal): Promise<MadeWorktree> {
  const { hooks, workspace, runtime, configuration } = parent;
  const made = await createByHooks(hooks, { name, project: workspace.cwd }, signal);
  const late = () => ({ signal: AbortSignal.timeout(SETTLE_MS), log: runtime.log });
  if (made !== null) {
    const end = () => removeByHooks(parent.hooks, made, late().signal);
    return { path: made, cwd: made, checkouts: [workspace.cwd], branch: null, end };
  }
  const git = openGit({
    run: (spec, runSignal) => workspace.exec(spec, runSignal),
    env: parent.toolContext('', signal).env,
    roots: [...workspace.roots, ...parent.permissions.policy.roots],
    isTrusted: (await configuration.projectTrust()) === 'trusted',
  });
  const repository = await findRepository(git, workspace.cwd, { signal });
  await sweepWorktrees(git, repository, { signal, log: runtime.log });
  const worktree = await openWorktree(git, repository, name, { signal });
  const { path, branch, hold } = worktree;
  return {
    path,
    cwd: sameDirectory(path, { checkout: repository.checkout, cwd: workspace.cwd }),
    checkouts: [...new Set([repository.root, repository.checkout])],
    branch,
    async end() {
      const fate = await settleWorktree(git, worktree, late());
      hold.release();
      return fate;
    },
  };
}

/** What it has started in the background may still work there. */
function isStillUsed({ toolSession }: Parts, agentId: string, began: number): boolean {
  return toolSession.backgroundTasks
    .list()
    .some(
      ({ status, type, agent, startedAt }) =>
        status === 'running' && (agent?.parentTaskId === agentId || (type === 'local_bash' && startedAt >= began)),
    );
}
