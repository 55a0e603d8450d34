import { agentPrompt } from '../../agent/agent-prompts.ts';
import { toolStats } from '../../agent/tool-stats.ts';
import type { AgentCall } from '../../tools/agent.ts';
import { refusal, type ToolContext, ToolError, type ToolOutput } from '../../tools/tool.ts';
import { abortReason } from '../../util/abort.ts';
import { messageOf } from '../../util/message-of.ts';
import type { oneAtATime } from '../../util/one-at-a-time.ts';
import type { AgentLaunchedOutput, AgentOutput } from '../../wire/tool-outputs.ts';
import type { Chosen } from '../models.ts';
import type { AgentFacts, Parts } from '../parts.ts';
import type { Past } from '../past.ts';
import { namedModel, unknownAgent } from './agent-choice.ts';
import { isolate, worktreeNote } from './agent-isolation.ts';
import { agentLimits } from './agent-limits.ts';
import { purposeOf } from './agent-notes.ts';
import { agentOutputFile } from './agent-output.ts';
import { problemOf } from './agent-problem.ts';
import { type AgentType, callableTypes, FORK, findAgent } from './agent-types.ts';
import { type ChildSpec, childParts } from './child-parts.ts';
import { type AgentEnd, type AgentMail, runAgent } from './run-agent.ts';
import { type StartedAgent, superviseAgent } from './supervise-agent.ts';

/** Does what it is given one after the other. */
type InTurn = ReturnType<typeof oneAtATime>;

/**
 * Answers a call of the Task tool: runs the agent that it describes, to its end or in the background. Agents begin in the
 * order in which they were called.
 */
export async function callAgent(
  parent: Parts,
  call: AgentCall,
  context: ToolContext,
  inTurn: InTurn,
): Promise<ToolOutput> {
  const isTeammate = call.team_name !== undefined || call.resume?.includes('@') === true; // `name@team`
  if (isTeammate && parent.team) {
    // A teammate works for the leader: with its permissions, which may be more than an agent has.
    if (parent.agent) throw new ToolError('Only the one who leads the session starts teammates.');
    if (call.isolation) throw new ToolError('A teammate works beside its leader: it has no worktree of its own.');
    return parent.team.spawn(call, context);
  }
  const started = await inTurn(() => startAgent(parent, call, context));
  const outcome = await started.outcome;
  if (outcome === 'backgrounded') {
    await parent.toolSession.backgroundTasks.noted(); // on disk before the model knows of it
    return launched(started, call);
  }
  return finished(started, call, outcome);
}

/** Makes the agent and lets it begin. Throws ToolError for a call that cannot be met. */
async function startAgent(parent: Parts, call: AgentCall, context: ToolContext): Promise<StartedAgent> {
  const { backgroundTasks } = parent.toolSession;
  checkRoom(parent);
  const before = call.resume === undefined ? null : await pastOf(parent, call.resume);
  const kind = (call.resume && backgroundTasks.get(call.resume)?.agent?.type) || call.subagent_type;
  const type = findType(callableTypes(parent), kind);
  const id = call.resume ?? backgroundTasks.freshId('a');
  const { description } = call;
  const depth = (parent.agent?.depth ?? 0) + 1;
  const facts: AgentFacts = { id, type: type.name, depth, toolUseId: context.toolUseId, description };
  const isolated = await isolate(parent, { call, type, id, signal: context.signal });
  const inBackground = call.run_in_background ?? type.definition.background === true;
  const { child, output } = await isolated.unlessItFails(async () => {
    const made = await makeAgent(parent, call, { facts, type, past: before, worktree: isolated.worktree });
    const file = await agentOutputFile(made);
    await noteCaller(parent, made, type);
    // While all of this was made, others may have begun, or somebody interrupted the turn.
    checkRoom(parent);
    if (context.signal.aborted) throw abortReason(context.signal);
    return { child: made, output: file };
  });
  return superviseAgent(child, {
    tasks: backgroundTasks,
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
        ...(parent.agent && { parentTaskId: parent.agent.id }),
        ...(isolated.worktree && { isIsolated: true as const }),
      },
      isBackgrounded: inBackground,
    },
    foreground: inBackground ? null : { signal: context.signal, calls: parent.toolSession.foreground },
    work: (run) => {
      const task = { prompt: call.prompt, mail: mailOf(parent, call.name ?? id, id), ...run };
      return isolated.whileItWorks(child, () => runAgent(child, task));
    },
  });
}

/** Notes beside the transcript of an agent which call it works for. Readers can do without. */
async function noteCaller(parent: Parts, { agent, transcript, runtime }: Parts, type: AgentType): Promise<void> {
  const file = transcript.isKept ? transcript.store.locate?.(transcript.key) : undefined;
  if (!agent || file === undefined) return;
  const { writeAgentMeta } = await import('../../sessions/agent-meta.ts');
  try {
    writeAgentMeta(file, {
      agentType: agent.type,
      isBuiltIn: type.source === 'built-in',
      description: agent.description,
      toolUseId: agent.toolUseId ?? '',
      spawnDepth: agent.depth,
      ...(parent.agent && { parentAgentId: parent.agent.id }),
    });
  } catch (error) {
    runtime.log('warn', `What the agent ${agent.id} was called by could not be noted: ${messageOf(error)}`);
  }
}

async function makeAgent(
  parent: Parts,
  call: AgentCall,
  { type, ...made }: Pick<ChildSpec, 'facts' | 'type' | 'past' | 'worktree'>,
): Promise<Parts> {
  const maxTurns = call.max_turns ?? type.definition.maxTurns;
  const { mode } = call;
  if (type === FORK) return (await import('./fork.ts')).forkOf(parent, { ...made, maxTurns, mode });
  const { purpose, notes } = await purposeOf(parent, type);
  const chosen = await modelOf(parent, call.model ?? type.definition.model);
  return childParts(parent, { ...made, type, systemPrompt: agentPrompt(purpose), notes, chosen, maxTurns, mode });
}

/** Throws where as many agents are at work as may be. */
export function checkRoom({ toolSession, toolContext }: Parts, beside = 0): void {
  const { maxRunning } = agentLimits(toolContext);
  const running = toolSession.backgroundTasks.list().filter(({ agent, status }) => agent && status === 'running');
  if (running.length + beside < maxRunning) return;
  throw new ToolError(
    `${maxRunning} agents are at work, and no more may be at the same time. Start this one when some of them have ended.`,
  );
}

/** What others send to it while it is at work, by its name or its id. */
function mailOf({ agentMail }: Parts, name: string, id: string): AgentMail {
  const box: string[] = [];
  for (const each of [name, id]) agentMail.set(each, box);
  return {
    take: () => box.splice(0),
    close() {
      for (const each of [name, id]) if (agentMail.get(each) === box) agentMail.delete(each);
    },
  };
}

export function findType(types: readonly AgentType[], name: string): AgentType {
  const found = findAgent(types, name);
  if (!found) throw new ToolError(unknownAgent(types, name));
  return found;
}

export async function modelOf(parent: Parts, given: string | undefined): Promise<Chosen> {
  const name = namedModel(parent, given);
  if (name === null) return parent.chosen;
  try {
    return await parent.chooseModel(name);
  } catch (error) {
    throw new ToolError(`The agent's model ${name} cannot be used: ${messageOf(error)}`);
  }
}

/** What an agent of this session knows that is gone on with. */
export async function pastOf(parent: Parts, agentId: string): Promise<Past> {
  const { transcript, toolSession, runtime } = parent;
  if (toolSession.backgroundTasks.get(agentId)?.status === 'running') {
    throw refusal(`The agent ${agentId} is still at work: wait for its end, or stop it first`);
  }
  const key = { ...transcript.key, agentId };
  if (!/^a[\w-]*$/.test(agentId) || !(await transcript.store.exists(key))) {
    const known = toolSession.backgroundTasks.list().filter(({ agent }) => agent !== undefined);
    const names = known.map(({ id }) => id).join(', ');
    throw refusal(
      `No agent ${agentId} is known here to go on with. ${names ? `There are: ${names}` : 'Start a new one.'}`,
    );
  }
  const { readPast } = await import('../past.ts');
  return readPast(transcript.store, key, { at: undefined, lean: true, log: runtime.log });
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
  const kept = worktree ? `\n${worktreeNote(worktree)}` : '';
  if (problem !== null) throw new ToolError(`${problem}\n${resume}${kept}`);
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
    usage: child.ledger.lastUsage,
    ...(worktree && { worktreePath: worktree.path }),
    ...(worktree?.branch !== undefined && { worktreeBranch: worktree.branch }),
  };
  const todaysData = {
    ...(child.agent && { agentType: child.agent.type }),
    resolvedModel: child.chosen.id,
    toolStats: toolStats(child.ledger),
  } satisfies Partial<AgentOutput>;
  return { content: [...content, { type: 'text', text: `${resume}${note}${kept}\n${counts}` }], data, todaysData };
}
