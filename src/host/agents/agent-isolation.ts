import type { AgentCall } from '../../tools/agents/agents-port.ts';
import type { BackgroundTasks } from '../../tools/background/background-tasks.ts';
import { ToolError } from '../../tools/tool.ts';
import type { AgentType } from '../extensions/agent-kinds.ts';
import type { SessionServices } from '../thread/services.ts';
import type { Thread } from '../thread/thread.ts';
import type { AgentWorktree, RemainingWorktree } from '../worktrees/agent-worktree.ts';
import { openAgentWorktree } from '../worktrees/agent-worktree.ts';
import { hasAgentWorktree } from '../worktrees/worktree-folder.ts';
import type { AgentEnd } from './run-agent.ts';

/** Whether an agent works in a worktree of its own, and how that is cleaned up. */
export interface Isolation {
  /** Null: the agent works in the directory of its caller. */
  worktree: AgentWorktree | null;
  /** Prepares the agent. Removes the worktree when that fails. */
  unlessItFails<T>(prepare: () => Promise<T>): Promise<T>;
  /** Runs the agent. Afterwards a worktree without changes is removed; one with changes is reported with the end. */
  whileItWorks(child: Thread, work: () => Promise<AgentEnd>): Promise<AgentEnd>;
}

export interface IsolatedCall {
  call: AgentCall;
  type: AgentType;
  /** The id of the agent. */
  id: string;
  signal: AbortSignal;
}

/** Makes a worktree if the call or the agent's kind asks for one. Throws ToolError when it cannot be made. */
export async function isolate(parent: Thread, { call, type, id, signal }: IsolatedCall): Promise<Isolation> {
  const asked = call.isolation ?? type.definition.isolation;
  if (asked !== undefined && asked !== 'worktree') {
    throw new ToolError(`The agent cannot be started: there is no isolation ${JSON.stringify(asked)}, only "worktree"`);
  }
  const { tasks } = parent.services.background;
  const { cwd } = parent.workplace.workspace;
  const isWanted =
    asked !== undefined || (call.resume !== undefined && (await wasIsolated({ tasks, cwd }, call.resume)));
  if (!isWanted) return TOGETHER;
  const worktree = await openAgentWorktree(parent, id, signal);
  return {
    worktree,
    async unlessItFails(prepare) {
      try {
        return await prepare();
      } catch (error) {
        await worktree.settle();
        throw error;
      }
    },
    async whileItWorks(child, work) {
      const settle = async () => {
        await child.workplace.sandbox.close();
        return worktree.settle();
      };
      const end = await work().catch(async (error) => {
        const left = await settle();
        if (left) parent.services.runtime.log('warn', `The agent ${id} failed. ${worktreeNote(left)}`);
        throw error;
      });
      const remaining = await settle();
      return remaining ? { ...end, worktree: remaining } : end;
    },
  };
}

/** Warns that an agent has no worktree although its definition asks for one. `where` names the case. */
export function noteTogether(
  { warnOnce }: Pick<SessionServices, 'warnOnce'>,
  { name, definition }: AgentType,
  where: string,
): void {
  if (definition.isolation === undefined) return;
  warnOnce(`The agent ${name} asks for isolation, but has no worktree of its own ${where}`);
}

/** The note about a remaining worktree for the caller of the agent. */
export function worktreeNote({ path, branch }: RemainingWorktree): string {
  return `It worked in a worktree of its own, which was kept: ${path}${branch === undefined ? '' : ` (branch ${branch})`}`;
}

const TOGETHER: Isolation = {
  worktree: null,
  unlessItFails: (prepare) => prepare(),
  whileItWorks: (_child, work) => work(),
};

/** A resumed agent stays in its worktree: the one of this process, or the folder that an earlier process left. */
async function wasIsolated(
  { tasks, cwd }: { tasks: Pick<BackgroundTasks, 'get'>; cwd: string },
  agentId: string,
): Promise<boolean> {
  if (tasks.get(agentId)?.agent?.isIsolated) return true;
  return hasAgentWorktree(cwd, agentId);
}
