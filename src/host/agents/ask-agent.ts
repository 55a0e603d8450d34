import type { HookQuestion } from '../../hooks/ask-hook.ts';
import { GENERAL_AGENT } from '../../tools/agents/agents-port.ts';
import type { AgentType } from '../extensions/agent-kinds.ts';
import type { Thread } from '../thread/thread.ts';
import { problemOf } from './agent-problem.ts';
import { openAgentThread } from './open-agent-thread.ts';
import { runAgent } from './run-agent.ts';
import { modelOf } from './start-agent.ts';

/** An agent that can only read. */
const READ_ONLY_AGENT: AgentType = {
  name: GENERAL_AGENT,
  source: 'built-in',
  definition: { description: '', tools: ['Read', 'Grep', 'Glob'], permissionMode: 'dontAsk' },
};

/** The agent answers one question. The time limit of the hook is the other bound. */
const MAX_ROUNDS = 50;

/**
 * Lets an agent answer the question of a hook. The host gets no lines of it, its calls trigger no hooks, and calls that
 * need a permission question are denied. Its costs count, and its transcript is stored with those of the other agents.
 */
export async function askAgent(
  parent: Thread,
  { system, prompt, model }: HookQuestion,
  signal: AbortSignal,
): Promise<string> {
  const id = parent.services.background.tasks.freshId('a');
  const child = await openAgentThread(parent, {
    info: { id, type: READ_ONLY_AGENT.name, depth: 1, toolUseId: id, description: 'answers a hook' },
    type: READ_ONLY_AGENT,
    systemPrompt: system,
    selected: await modelOf(parent, model ?? 'haiku'),
    maxTurns: MAX_ROUNDS,
    notes: null,
    history: null,
    isForHook: true,
  });
  const { end, content } = await runAgent(child, { prompt, signal, forwardsLines: () => false });
  const problem = problemOf(end, false);
  if (problem !== null) throw new Error(problem);
  return content.map(({ text }) => text).join('\n');
}
