import type { HookQuestion } from '../../hooks/ask-hook.ts';
import { GENERAL_AGENT } from '../../tools/agent.ts';
import type { Parts } from '../parts.ts';
import { problemOf } from './agent-problem.ts';
import type { AgentType } from './agent-types.ts';
import { childParts } from './child-parts.ts';
import { runAgent } from './run-agent.ts';
import { modelOf } from './start-agent.ts';

/** An agent that can only look. */
const LOOKER: AgentType = {
  name: GENERAL_AGENT,
  source: 'built-in',
  definition: { description: '', tools: ['Read', 'Grep', 'Glob'], permissionMode: 'dontAsk' },
};

/** It answers one question; the hook's own time limit is the other bound. */
const MAX_ROUNDS = 50;

/**
 * Has an agent look for itself and answer a hook. Nobody is told of it, no hook is asked about what it does, and what it
 * would have to ask for is denied; what it spends counts, and its transcript lies beside those of the other agents.
 */
export async function askAgent(
  parent: Parts,
  { system, prompt, model }: HookQuestion,
  signal: AbortSignal,
): Promise<string> {
  const id = parent.toolSession.backgroundTasks.freshId('a');
  const child = await childParts(parent, {
    facts: { id, type: LOOKER.name, depth: 1, toolUseId: id, description: 'answers a hook' },
    type: LOOKER,
    systemPrompt: system,
    chosen: await modelOf(parent, model ?? 'haiku'),
    maxTurns: MAX_ROUNDS,
    notes: null,
    past: null,
    isForHook: true,
  });
  const { end, content } = await runAgent(child, { prompt, signal, isTold: () => false });
  const problem = problemOf(end, false);
  if (problem !== null) throw new Error(problem);
  return content.map(({ text }) => text).join('\n');
}
