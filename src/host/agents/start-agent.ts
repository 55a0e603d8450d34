import { toolStats } from '../../agent/calls/tool-stats.ts';
import { agentPrompt } from '../../agent/messages/agent-prompts.ts';
import { writeAgentMeta } from '../../sessions/files/agent-meta.ts';
import type { AgentCall } from '../../tools/agents/agents-port.ts';
import type { BackgroundTasks } from '../../tools/background/background-tasks.ts';
import { shellPort } from '../../tools/shell/shell-port.ts';
import { refusal, type ToolContext, ToolError, type ToolOutput } from '../../tools/tool.ts';
import { abortReason } from '../../util/abort.ts';
import { messageOf } from '../../util/message-of.ts';
import type { Logger } from '../../util/runtime.ts';
import type { AgentLaunchedOutput, AgentOutput } from '../../wire/tools/tool-outputs.ts';
import type { ConversationTranscript } from '../conversation/conversation-options.ts';
import type { SelectedModel } from '../engine/engine-models.ts';
import { type AgentType, callableTypes, FORK, findAgent, unknownAgent } from '../extensions/agent-kinds.ts';
import type { StoredHistory } from '../resume/stored-history.ts';
import { readHistory } from '../resume/stored-history.ts';
import type { AgentService } from '../thread/agent-service.ts';
import type { AgentInfo } from '../thread/identity.ts';
import type { InTurn, Thread } from '../thread/thread.ts';
import { isolate, worktreeNote } from './agent-isolation.ts';
import { agentLimits } from './agent-limits.ts';
import { namedModel } from './agent-model.ts';
import { purposeOf } from './agent-notes.ts';
import { agentOutputFile } from './agent-output.ts';
import { problemOf } from './agent-problem.ts';
import { forkOf } from './fork-agent.ts';
import { type AgentSpec, openAgentThread } from './open-agent-thread.ts';
import { type AgentEnd, type AgentMail, runAgent } from './run-agent.ts';
import { type StartedAgent, superviseAgent } from './supervise-agent.ts';

/**
 * Answers a call of the Task tool: runs the agent that it describes, to its end or in the background. Agents begin in
 * the order of their calls.
 */
export async function callAgent(
  parent: Thread,
  call: AgentCall,
  context: ToolContext,
  inTurn: InTurn,
): Promise<ToolOutput> {
  const isTeammate = call.team_name !== undefined || call.resume?.includes('@') === true; // `name@team`
  if (isTeammate && parent.services.agents.team) {
    // A teammate has the permissions of the leader, which may be wider than those of an agent.
    if (parent.identity.agent) throw new ToolError('Only the one who leads the session starts teammates.');
    if (call.isolation) throw new ToolError('A teammate works beside its leader: it has no worktree of its own.');
    return parent.services.agents.team.spawn(call, context);
  }
  const started = await inTurn(() => startAgent(parent, call, context));
  const outcome = await started.outcome;
  if (outcome === 'backgrounded') {
    await parent.services.background.tasks.noted(); // on disk before the model learns of it
    return launched(started, call);
  }
  return finished(started, call, outcome);
}

/** Makes the agent and starts it. Throws ToolError for a call that cannot be answered. */
async function startAgent(parent: Thread, call: AgentCall, context: ToolContext): Promise<StartedAgent> {
  const { tasks } = parent.services.background;
  const { log } = parent.services.runtime;
  checkRoom(parent);
  const before = call.resume === undefined ? null : await historyOf(historySource(parent), call.resume);
  const kind = (call.resume && tasks.get(call.resume)?.agent?.type) || call.subagent_type;
  const type = findType(callableTypes(parent.services.agents.sources), kind);
  const id = call.resume ?? tasks.freshId('a');
  const { description } = call;
  const depth = (parent.identity.agent?.depth ?? 0) + 1;
  const info: AgentInfo = { id, type: type.name, depth, toolUseId: context.toolUseId, description };
  const isolated = await isolate(parent, { call, type, id, signal: context.signal });
  const inBackground = call.run_in_background ?? type.definition.background === true;
  const { child, output } = await isolated.unlessItFails(async () => {
    const made = await makeAgent(parent, call, { info, type, history: before, worktree: isolated.worktree });
    const file = await agentOutputFile(made.conversation.transcript);
    await noteCaller(made.conversation.transcript, { info, type, parent: parent.identity.agent }, log);
    // Meanwhile other agents may have started, or the user may have interrupted the turn.
    checkRoom(parent);
    if (context.signal.aborted) throw abortReason(context.signal);
    return { child: made, output: file };
  });
  return superviseAgent(child, {
    tasks,
    spec: {
      id,
      type: 'local_agent',
      description,
      toolUseId: context.toolUseId,
      ...output,
      agent: {
        type: type.name,
        prompt: call.prompt,
        depth,
        ...(parent.identity.agent && { parentTaskId: parent.identity.agent.id }),
        ...(isolated.worktree && { isIsolated: true as const }),
      },
      isBackgrounded: inBackground,
    },
    foreground: inBackground ? null : { signal: context.signal, calls: parent.service(shellPort).foreground },
    work: (run) => {
      const task = { prompt: call.prompt, mail: mailOf(parent.services.agents, call.name ?? id, id), ...run };
      return isolated.whileItWorks(child, () => runAgent(child, task));
    },
  });
}

/** Writes into a file next to the agent's transcript which call started it. Readers work without this file. */
async function noteCaller(
  { isSaved, store, key }: Pick<ConversationTranscript, 'isSaved' | 'store' | 'key'>,
  { info, type, parent }: { info: AgentInfo; type: AgentType; parent: AgentInfo | null },
  log: Logger,
): Promise<void> {
  const file = isSaved ? store.locate?.(key) : undefined;
  if (file === undefined) return;
  try {
    writeAgentMeta(file, {
      agentType: info.type,
      isBuiltIn: type.source === 'built-in',
      description: info.description,
      toolUseId: info.toolUseId,
      spawnDepth: info.depth,
      ...(parent && { parentAgentId: parent.id }),
    });
  } catch (error) {
    log('warn', `What the agent ${info.id} was called by could not be noted: ${messageOf(error)}`);
  }
}

async function makeAgent(
  parent: Thread,
  call: AgentCall,
  { type, ...made }: Pick<AgentSpec, 'info' | 'type' | 'history' | 'worktree'>,
): Promise<Thread> {
  const maxTurns = call.max_turns ?? type.definition.maxTurns;
  const { mode } = call;
  if (type === FORK) return forkOf(parent, { ...made, maxTurns, mode });
  const { purpose, notes } = await purposeOf(parent, type);
  const selected = await modelOf(parent, call.model ?? type.definition.model);
  return openAgentThread(parent, {
    ...made,
    type,
    systemPrompt: agentPrompt(purpose),
    notes,
    selected,
    maxTurns,
    mode,
  });
}

/** Throws ToolError when no more agents may run. `idle`: members of a team that count although they do not run. */
export function checkRoom({ workplace, services }: Pick<Thread, 'workplace' | 'services'>, idle = 0): void {
  const { maxRunning } = agentLimits(workplace.environment());
  const running = services.background.tasks.list().filter(({ agent, status }) => agent && status === 'running');
  if (running.length + idle < maxRunning) return;
  throw new ToolError(
    `${maxRunning} agents are at work, and no more may be at the same time. Start this one when some of them have ended.`,
  );
}

/** The messages that others send to an agent while it works, by its name or its id. */
function mailOf({ mailboxes }: AgentService, name: string, id: string): AgentMail {
  const box: string[] = [];
  for (const each of [name, id]) mailboxes.set(each, box);
  return {
    take: () => box.splice(0),
    close() {
      for (const each of [name, id]) if (mailboxes.get(each) === box) mailboxes.delete(each);
    },
  };
}

export function findType(types: readonly AgentType[], name: string): AgentType {
  const type = findAgent(types, name);
  if (!type) throw new ToolError(unknownAgent(types, name));
  return type;
}

export async function modelOf(
  { model, services }: Pick<Thread, 'model' | 'services'>,
  asked: string | undefined,
): Promise<SelectedModel> {
  const name = namedModel(model, asked);
  if (name === null) return model.selected;
  try {
    return await services.models.select(name);
  } catch (error) {
    throw new ToolError(`The agent's model ${name} cannot be used: ${messageOf(error)}`);
  }
}

/** The dependencies for reading the history of an agent. */
export interface AgentHistorySource {
  /** The transcript of the session. */
  transcript: Pick<ConversationTranscript, 'key' | 'store'>;
  tasks: Pick<BackgroundTasks, 'get' | 'list'>;
  log: Logger;
}

export function historySource({
  conversation,
  services,
}: Pick<Thread, 'conversation' | 'services'>): AgentHistorySource {
  const { background, runtime } = services;
  return { transcript: conversation.transcript, tasks: background.tasks, log: runtime.log };
}

/** The stored history of an agent of this session that is resumed. Throws ToolError when it cannot be read. */
export async function historyOf(
  { transcript, tasks, log }: AgentHistorySource,
  agentId: string,
): Promise<StoredHistory> {
  if (tasks.get(agentId)?.status === 'running') {
    throw refusal(`The agent ${agentId} is still at work: wait for its end, or stop it first`);
  }
  const key = { ...transcript.key, agentId };
  if (!/^a[\w-]*$/.test(agentId) || !(await transcript.store.exists(key))) {
    const known = tasks.list().filter(({ agent }) => agent !== undefined);
    const names = known.map(({ id }) => id).join(', ');
    throw refusal(
      `No agent ${agentId} is known here to go on with. ${names ? `There are: ${names}` : 'Start a new one.'}`,
    );
  }
  return readHistory(transcript.store, key, { at: undefined, lean: true, log });
}

function launched({ task }: StartedAgent, { description, prompt }: AgentCall): ToolOutput {
  const text = `The agent works in the background. agentId: ${task.id} (for resume, once it has ended)\nYou are told when it has finished. Until then its transcript can be read at ${task.outputFile}; do something else meanwhile, or end your turn.`;
  const data: AgentLaunchedOutput = {
    isAsync: true,
    status: 'async_launched',
    agentId: task.id,
    description,
    prompt,
    outputFile: task.outputFile,
  };
  return { content: [{ type: 'text', text }], data };
}

function finished({ task, child }: StartedAgent, { prompt }: AgentCall, ended: AgentEnd): ToolOutput {
  const { end, content, usage, worktree } = ended;
  const problem = problemOf(end, task.stoppedBy !== null);
  const resume = `agentId: ${task.id} (for resume, to go on with this agent)`;
  const location = worktree ? `\n${worktreeNote(worktree)}` : '';
  if (problem !== null) throw new ToolError(`${problem}\n${resume}${location}`);
  const note = end.kind === 'max_turns' ? `\nIt was stopped after ${end.maxTurns} rounds of tool calls.` : '';
  const counts = `<usage>total_tokens: ${usage.totalTokens}\ntool_uses: ${usage.toolUses}\nduration_ms: ${usage.durationMs}</usage>`;
  const data: AgentOutput = {
    status: 'completed',
    prompt,
    agentId: task.id,
    content,
    totalDurationMs: usage.durationMs,
    totalTokens: usage.totalTokens,
    totalToolUseCount: usage.toolUses,
    usage: child.budget.ledger.lastUsage,
    ...(worktree && { worktreePath: worktree.path }),
    ...(worktree?.branch !== undefined && { worktreeBranch: worktree.branch }),
  };
  const todaysData = {
    ...(child.identity.agent && { agentType: child.identity.agent.type }),
    resolvedModel: child.model.selected.id,
    toolStats: toolStats(child.budget.ledger),
  } satisfies Partial<AgentOutput>;
  return { content: [...content, { type: 'text', text: `${resume}${note}${location}\n${counts}` }], data, todaysData };
}
