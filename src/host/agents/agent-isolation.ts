import type { AgentCall } from '../../tools/agent.ts';
import { ToolError } from '../../tools/tool.ts';
import type { Parts } from '../parts.ts';
import type { AgentWorktree, KeptWorktree } from '../worktrees/agent-worktree.ts';
import type { AgentType } from './agent-types.ts';
import type { AgentEnd } from './run-agent.ts';

/** Whether an agent works apart from the one that it works for, and what that takes. */
export interface Isolation {
  /** Null: it works where that one works. */
  worktree: AgentWorktree | null;
  /** What comes before its work: when it fails, nothing is left of the worktree. */
  unlessItFails<T>(prepare: () => Promise<T>): Promise<T>;
  /** Its work: afterwards a worktree without changes is removed, and one that is kept is told with the end. */
  whileItWorks(child: Parts, work: () => Promise<AgentEnd>): Promise<AgentEnd>;
}

export interface IsolatedCall {
  call: AgentCall;
  type: AgentType;
  /** Of the agent. */
  id: string;
  signal: AbortSignal;
}

/** Makes the worktree where the call or the agent's kind asks for one. Throws ToolError where there can be none. */
export async function isolate(parent: Parts, { call, type, id, signal }: IsolatedCall): Promise<Isolation> {
  const asked = call.isolation ?? type.definition.isolation;
  if (asked !== undefined && asked !== 'worktree') {
    throw new ToolError(`The agent cannot be started: there is no isolation ${JSON.stringify(asked)}, only "worktree"`);
  }
  const isWanted = asked !== undefined || (call.resume !== undefined && (await wasIsolated(parent, call.resume)));
  if (!isWanted) return TOGETHER;
  const { openAgentWorktree } = await import('../worktrees/agent-worktree.ts');
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
        await child.sandbox.close();
        return worktree.settle();
      };
      const end = await work().catch(async (error) => {
        const left = await settle();
        if (left) parent.runtime.log('warn', `The agent ${id} failed. ${worktreeNote(left)}`);
        throw error;
      });
      const kept = await settle();
      return kept ? { ...end, worktree: kept } : end;
    },
  };
}

/** Whoever wrote the definition counts on a worktree: where there is none, that is said. `where`: when it has none. */
export function noteTogether({ warnOnce }: Parts, { name, definition }: AgentType, where: string): void {
  if (definition.isolation === undefined) return;
  warnOnce(`The agent ${name} asks for isolation, but has no worktree of its own ${where}`);
}

/** For the one that called. */
export function worktreeNote({ path, branch }: KeptWorktree): string {
  return `It worked in a worktree of its own, which was kept: ${path}${branch === undefined ? '' : ` (branch ${branch})`}`;
}

const TOGETHER: Isolation = {
  worktree: null,
  unlessItFails: (prepare) => prepare(),
  whileItWorks: (_child, work) => work(),
};

/** An agent that is gone on with stays where it was: what it has left there, or where it was in this process. */
async function wasIsolated({ toolSession, workspace }: Parts, agentId: string): Promise<boolean> {
  if (toolSession.backgroundTasks.get(agentId)?.agent?.isIsolated) return true;
  const { hasAgentWorktree } = await import('../worktrees/worktree-folder.ts');
  return hasAgentWorktree(workspace.cwd, agentId);
}
