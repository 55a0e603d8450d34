import { attachedContent } from '../../agent/attachment.ts';
import { addUserContent } from '../../agent/conversation.ts';
import { runTurn, type TurnEnd } from '../../agent/loop.ts';
import { tokensOf } from '../../agent/step.ts';
import { emptyTally } from '../../agent/turn.ts';
import type { ApiMessage } from '../../model/model.ts';
import type { TaskUsage } from '../../tools/background-tasks.ts';
import type { ContentBlock } from '../../wire/content.ts';
import type { ApiRetryMessage, Message } from '../../wire/messages/index.ts';
import { drive } from '../drive.ts';
import { timeOf } from '../lifecycle.ts';
import { makeTurn } from '../make-turn.ts';
import type { AgentFacts, Parts } from '../parts.ts';
import { placed } from '../record-input.ts';
import type { KeptWorktree } from '../worktrees/agent-worktree.ts';
import type { AgentHooks } from './agent-hooks.ts';

export interface AgentRun {
  /** What it is to do. */
  prompt: string;
  signal: AbortSignal;
  /** Whether its lines are told; asked for each of them, because that may change while it runs. */
  isTold(): boolean;
  /** It has called a tool. */
  onProgress?(usage: TaskUsage, toolName: string): void;
  /** The prompt is on disk. */
  onRecorded?(): Promise<void>;
  /** What others send to it meanwhile; absent: nothing can be. */
  mail?: AgentMail;
}

export interface AgentMail {
  /** What has come since the last time. */
  take(): string[];
  /** Nothing more is taken. */
  close(): void;
}

export interface AgentEnd {
  end: TurnEnd;
  /** Its last words: the text of its last answer. */
  content: { type: 'text'; text: string }[];
  usage: TaskUsage;
  /** Its worktree, where there are changes in it. */
  worktree?: KeptWorktree;
}

/** Lets an agent work on a prompt until it stops. The loop is that of the main thread; only its parts are others. */
export function runAgent(child: Parts, run: AgentRun): Promise<AgentEnd> {
  const work = () => letWork(child, run);
  return child.telemetry?.agent(child, run.prompt, work) ?? work();
}

async function letWork(child: Parts, run: AgentRun): Promise<AgentEnd> {
  const { runtime, agent } = child;
  if (!agent) throw new Error('These are no parts of an agent');
  const started = runtime.clock.now();
  const say = async (line: Message) => {
    const told = run.isTold() ? forwarded(line, agent, child.forwardsAgentText) : null;
    if (told) await child.say(told);
    if (told && line.type === 'system' && line.subtype === 'api_retry' && child.dialect === '2.1.325') {
      await child.say(retryProgress(line, agent, child, runtime.clock.now() - started));
    }
  };
  let toolUses = 0;
  const usage = (totalTokens = child.context.tokens): TaskUsage => ({
    totalTokens,
    toolUses,
    durationMs: runtime.clock.now() - started,
    costUsd: child.ledger.ownCostUsd,
  });
  const tally = emptyTally();
  const before = lastAnswer(child.messages);
  const asked: ContentBlock[] = [{ type: 'text', text: run.prompt }];
  const takeMail = async () => {
    const mail = run.mail?.take() ?? [];
    for (const text of mail) await recordTask(child, text, say);
    return mail.length > 0;
  };
  const takeQueued = async () => {
    await takeMail();
    return [];
  };
  const tell = async (line: Message) => {
    await say(line);
    const call = calledTool(line);
    if (call === null) return;
    toolUses++;
    run.onProgress?.(usage(call.tokens), call.name);
  };
  const work = () => drive(runTurn(makeTurn(child, tally, asked, { say, takeQueued }), run.signal), tell);
  const servers = await openServers(child, run.signal);
  try {
    await hooksOf(child)?.started(run.signal);
    await recordTask(child, run.prompt, say);
    await run.onRecorded?.();
    let end = await work();
    // What came while it said its last words is not lost: it goes on with that.
    while (end.kind === 'completed' && (await takeMail())) end = await work();
    return { end, content: lastWords(child, before), usage: usage() };
  } finally {
    run.mail?.close();
    await servers?.close();
    child.agentDenials.push(...tally.denials);
    hooksOf(child)?.finished();
  }
}

/** Those of a teammate outlive its turns: whoever runs these looks after them. */
async function openServers(child: Parts, signal: AbortSignal): Promise<{ close(): Promise<void> } | null> {
  if (!child.agent?.servers || child.agent.teammate !== undefined) return null;
  const { openAgentServers } = await import('./agent-servers.ts');
  return openAgentServers(child, signal);
}

function hooksOf({ hooks }: Parts): AgentHooks | null {
  return hooks as AgentHooks | null;
}

/** On disk before it is told, with what the agent has to know of the place. */
async function recordTask(child: Parts, prompt: string, say: (line: Message) => Promise<void>): Promise<void> {
  const { recorder, reminders, runtime, sessionId, agent } = child;
  const uuid = runtime.ids.uuid();
  const news = await reminders.news();
  const attachments = [...news, ...(child.hooks?.takeContexts() ?? [])];
  await recorder.task(prompt, { uuid, attachments: placed(child, attachments) });
  reminders.told(news);
  const content: ContentBlock[] = [{ type: 'text', text: prompt }];
  addUserContent(child.messages, [...content, ...attachedContent(attachments)]);
  const timestamp = timeOf(runtime);
  const ids = { parent_tool_use_id: agent?.toolUseId ?? null, session_id: sessionId, uuid, timestamp };
  await say({ type: 'user', message: { role: 'user', content }, ...ids } as Message);
}

/** As it is told: calls and results, all else only where that is wanted. The prompt is no result, but belongs to them. */
function forwarded(line: Message, { id, type, description }: AgentFacts, isAllWanted: boolean): Message | null {
  const facts = { agent_id: id, subagent_type: type, task_description: description };
  if (line.type === 'assistant') {
    const isCall = blocksOf(line).some((block) => block.type === 'tool_use');
    return isCall || isAllWanted ? ({ ...line, ...facts } as Message) : null;
  }
  if (line.type === 'user') {
    const { tool_use_result: _, ...rest } = line as Message & { tool_use_result?: unknown };
    return { ...rest, ...facts } as Message;
  }
  if (line.type === 'system' && line.subtype === 'permission_denied') return { ...line, agent_id: id };
  return SAID_OF_AGENTS.has(line.type === 'system' ? line.subtype : line.type) ? line : null;
}

/** Signs of life that hosts should see, whoever they come from. */
const SAID_OF_AGENTS: ReadonlySet<unknown> = new Set(['tool_progress', 'api_retry', 'model_fallback', 'auth_status']);

/** The call that the agent works for goes on, and waits for another attempt of the agent's. */
function retryProgress(retry: ApiRetryMessage, agent: AgentFacts, child: Parts, elapsedMs: number): Message {
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
    session_id: child.sessionId,
    uuid: child.runtime.ids.uuid(),
  };
}

/** A call of a tool, and how many tokens the agent has in mind by then. */
function calledTool(line: Message): { name: string; tokens: number } | null {
  if (line.type !== 'assistant') return null;
  const [block] = blocksOf(line);
  return block?.type === 'tool_use' ? { name: block.name, tokens: tokensOf(line.message.usage) } : null;
}

function blocksOf(line: Message): readonly ContentBlock[] {
  const { content } = (line as { message: { content: unknown } }).message;
  return Array.isArray(content) ? content : [];
}

/** Not `before`: what it said, or was said, before it was asked. */
function lastWords({ messages }: Parts, before: ApiMessage | undefined): AgentEnd['content'] {
  const answer = lastAnswer(messages);
  if (answer === before) return [];
  return (answer?.content ?? []).flatMap((block) =>
    block.type === 'text' ? [{ type: 'text', text: block.text }] : [],
  );
}

function lastAnswer(messages: readonly ApiMessage[]): ApiMessage | undefined {
  return messages.findLast(({ role }) => role === 'assistant');
}
