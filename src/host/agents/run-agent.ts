import { runTurn, type TurnEnd } from '../../agent/loop.ts';
import { tokensOf } from '../../agent/step.ts';
import { emptyTally } from '../../agent/turn.ts';
import type { ApiMessage } from '../../model/model.ts';
import type { TaskUsage } from '../../tools/background/background-tasks.ts';
import type { ContentBlock } from '../../wire/api/content.ts';
import type { ApiRetryMessage, Message } from '../../wire/messages/index.ts';
import type { Conversation } from '../conversation/conversation.ts';
import type { AgentInfo } from '../thread/identity.ts';
import { makeTurn } from '../thread/make-turn.ts';
import { drainTurn } from '../thread/run-turn.ts';
import type { Thread } from '../thread/thread.ts';
import type { RemainingWorktree } from '../worktrees/agent-worktree.ts';
import { openAgentServers } from './agent-servers.ts';

export interface AgentRun {
  /** The task. */
  prompt: string;
  signal: AbortSignal;
  /** Whether its lines go to the host; read for each line, because it may change while the agent runs. */
  forwardsLines(): boolean;
  /** Called when the agent has called a tool. */
  onProgress?(usage: TaskUsage, toolName: string): void;
  /** Called when the prompt is on disk. */
  onRecorded?(): Promise<void>;
  /** Messages to the agent while it works; absent: it gets none. */
  mail?: AgentMail;
}

export interface AgentMail {
  /** The messages since the last call. */
  take(): string[];
  /** The agent reads no more messages. */
  close(): void;
}

export interface AgentEnd {
  end: TurnEnd;
  /** The text of its last answer. */
  content: { type: 'text'; text: string }[];
  usage: TaskUsage;
  /** Its worktree, if it holds changes. */
  worktree?: RemainingWorktree;
}

/** Lets an agent work on a prompt until it stops, in the same loop as the main thread. */
export function runAgent(child: Thread, run: AgentRun): Promise<AgentEnd> {
  const work = () => runToEnd(child, run);
  return child.services.telemetry?.agent(child, run.prompt, work) ?? work();
}

async function runToEnd(child: Thread, run: AgentRun): Promise<AgentEnd> {
  const { services, identity, conversation, budget } = child;
  const { runtime, link, preferences } = services;
  const { agent } = identity;
  if (!agent) throw new Error('This is not the thread of an agent');
  const started = runtime.clock.now();
  const send = async (line: Message) => {
    const shown = run.forwardsLines() ? forwarded(line, agent, preferences.forwardsAgentText) : null;
    if (shown) await link.send(shown);
    if (shown && line.type === 'system' && line.subtype === 'api_retry' && preferences.dialect === '2.1.325') {
      const names = { session_id: services.id, uuid: runtime.ids.uuid() };
      await link.send(retryProgress(line, agent, { ...names, elapsedMs: runtime.clock.now() - started }));
    }
  };
  let toolUses = 0;
  const usage = (totalTokens = conversation.window.tokens): TaskUsage => ({
    totalTokens,
    toolUses,
    durationMs: runtime.clock.now() - started,
    costUsd: budget.ledger.ownCostUsd,
  });
  const tally = emptyTally();
  const before = lastAnswer(conversation.messages);
  const asked: ContentBlock[] = [{ type: 'text', text: run.prompt }];
  const takeMail = async () => {
    const mail = run.mail?.take() ?? [];
    for (const text of mail) await send(await conversation.recordTask(text, agent.toolUseId));
    return mail.length > 0;
  };
  const takeQueued = async () => {
    await takeMail();
    return [];
  };
  const tell = async (line: Message) => {
    await send(line);
    const call = calledTool(line);
    if (call === null) return;
    toolUses++;
    run.onProgress?.(usage(call.tokens), call.name);
  };
  const work = () => drainTurn(runTurn(makeTurn(child, tally, asked, { send, takeQueued }), run.signal), tell);
  const servers = await openServers(child, run.signal);
  try {
    await child.hooks.current?.begin(run.signal);
    await send(await conversation.recordTask(run.prompt, agent.toolUseId));
    await run.onRecorded?.();
    let end = await work();
    // A message that came during its last answer is not lost: the agent continues with it.
    while (end.kind === 'completed' && (await takeMail())) end = await work();
    return { end, content: finalText(conversation, before), usage: usage() };
  } finally {
    run.mail?.close();
    await servers?.close();
    services.agents.denials.push(...tally.denials);
    await child.hooks.current?.end({ isStopped: false });
  }
}

/** Null for a teammate: its servers outlive its turns, and the team opens and closes them. */
async function openServers(child: Thread, signal: AbortSignal): Promise<{ close(): Promise<void> } | null> {
  if (!child.identity.agent?.servers || child.identity.agent.teammate !== undefined) return null;
  return openAgentServers(child, signal);
}

/**
 * The line that the host gets: calls and results, and other lines only if the host wants all. The prompt is sent, too.
 */
function forwarded(line: Message, { id, type, description }: AgentInfo, isAllWanted: boolean): Message | null {
  const details = { agent_id: id, subagent_type: type, task_description: description };
  if (line.type === 'assistant') {
    const isCall = blocksOf(line).some((block) => block.type === 'tool_use');
    return isCall || isAllWanted ? ({ ...line, ...details } as Message) : null;
  }
  if (line.type === 'user') {
    const { tool_use_result: _, ...rest } = line as Message & { tool_use_result?: unknown };
    return { ...rest, ...details } as Message;
  }
  if (line.type === 'system' && line.subtype === 'permission_denied') return { ...line, agent_id: id };
  return SAID_OF_AGENTS.has(line.type === 'system' ? line.subtype : line.type) ? line : null;
}

/** Lines of agents that hosts get as they are: they show that the agent still works. */
const SAID_OF_AGENTS: ReadonlySet<unknown> = new Set(['tool_progress', 'api_retry', 'model_fallback', 'auth_status']);

/** Reports on the call that started an agent: it still waits, because the agent tries again. */
function retryProgress(
  retry: ApiRetryMessage,
  agent: AgentInfo,
  { elapsedMs, ...names }: { session_id: string; uuid: string; elapsedMs: number },
): Message {
  const { attempt, max_retries, retry_delay_ms, error_status, error } = retry;
  return {
    type: 'tool_progress',
    tool_use_id: agent.toolUseId ?? '',
    tool_name: 'Task',
    parent_tool_use_id: null,
    elapsed_time_seconds: elapsedMs / 1000,
    task_id: agent.id,
    subagent_type: agent.type,
    subagent_retry: {
      ...{ agent_id: agent.id, attempt, max_retries, retry_delay_ms, error_status },
      error_category: error,
    },
    ...names,
  };
}

/** A tool call in a line, and the size of the agent's context in tokens at this point. */
function calledTool(line: Message): { name: string; tokens: number } | null {
  if (line.type !== 'assistant') return null;
  const [block] = blocksOf(line);
  return block?.type === 'tool_use' ? { name: block.name, tokens: tokensOf(line.message.usage) } : null;
}

function blocksOf(line: Message): readonly ContentBlock[] {
  const { content } = (line as { message: { content: unknown } }).message;
  return Array.isArray(content) ? content : [];
}

/** The text of the last answer; empty if that is `before`, which is older than the prompt. */
function finalText({ messages }: Conversation, before: ApiMessage | undefined): AgentEnd['content'] {
  const answer = lastAnswer(messages);
  if (answer === before) return [];
  return (answer?.content ?? []).flatMap((block) =>
    block.type === 'text' ? [{ type: 'text', text: block.text }] : [],
  );
}

function lastAnswer(messages: readonly ApiMessage[]): ApiMessage | undefined {
  return messages.findLast(({ role }) => role === 'assistant');
}
