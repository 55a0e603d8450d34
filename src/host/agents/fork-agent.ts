import type { ApiMessage } from '../../model/model.ts';
import { ToolError } from '../../tools/tool.ts';
import type { ContentBlock } from '../../wire/api/content.ts';
import { FORK } from '../extensions/agent-kinds.ts';
import type { StoredHistory } from '../resume/stored-history.ts';
import type { AgentInfo } from '../thread/identity.ts';
import type { Thread } from '../thread/thread.ts';
import { type AgentSpec, openAgentThread } from './open-agent-thread.ts';

export interface ForkSpec {
  info: AgentInfo;
  maxTurns: number | undefined;
  mode: string | undefined;
  /** The history that the fork resumes; null for a new fork. */
  history: StoredHistory | null;
  worktree?: AgentSpec['worktree'];
}

/**
 * Makes an agent that continues the conversation of its caller, with the same model, prompt and tools. Each of its
 * requests begins with the bytes of the caller's last request, which the provider has cached. Throws ToolError when the
 * caller cannot be forked.
 */
export async function forkOf(parent: Thread, { info, maxTurns, mode, history, worktree }: ForkSpec): Promise<Thread> {
  if (parent.identity.agent?.type === FORK.name) {
    throw new ToolError('You are a fork yourself, and a fork is not forked again. Do the work, or start another kind.');
  }
  if (worktree) throw new ToolError('A fork works where you do: it has no worktree of its own.');
  const child = await openAgentThread(parent, {
    info,
    type: FORK,
    systemPrompt: null,
    notes: parent.identity.notes,
    selected: parent.scope.model ?? parent.model.selected,
    maxTurns,
    mode,
    history,
  });
  const copied = history === null ? upToCall(parent.conversation.messages, info.toolUseId) : null;
  if (copied) for (const [path, state] of parent.workplace.files) child.workplace.files.set(path, state);
  await child.conversation.beginFork(copied && { messages: copied, tokens: parent.conversation.window.tokens });
  return child;
}

/**
 * The conversation up to the calling answer. Each call gets the same result, so that forks of one answer share a
 * prefix.
 */
function upToCall(messages: readonly ApiMessage[], toolUseId: string): ApiMessage[] {
  const calls = (messages.at(-1)?.content ?? []).filter((block) => block.type === 'tool_use');
  if (!calls.some(({ id }) => id === toolUseId)) throw new ToolError('There is no conversation here to be forked.');
  const content = calls.map(({ id }): ContentBlock => ({ type: 'tool_result', tool_use_id: id, content: FORKED }));
  return [...messages, { role: 'user', content }];
}

const FORKED = `You are a fork: an agent that was made by one of these calls and knows all that was said up to here. Another goes on with the conversation and gets the results of the calls; you get none of them. Do only what you are asked to below, yourself. Nobody answers questions. Your last message is your report, and all that comes back of your work.`;
