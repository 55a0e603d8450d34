import type { Tool } from '../tool.ts';
import { type AgentCall, agentInput, agentsPort, teamInput } from './agents-port.ts';

export const TASK = 'Task';

export interface AgentToolOptions {
  /** One line for each kind of agent. Byte-stable within a session. */
  listing: string;
  /** True when agents can be members of teams. */
  hasTeams: boolean;
  /** The own name of the kind of agent that a call would start: rules match this name, however the model writes it. */
  kindOf(call: Pick<AgentCall, 'subagent_type' | 'resume'>): string;
}

export function createAgentTool({ listing, hasTeams, kindOf }: AgentToolOptions): Tool<AgentCall> {
  return {
    name: TASK,
    aliases: ['Agent'],
    description: `Starts an agent that works on a task by itself and gives back its final answer. Kinds:
${listing}

- For work whose output you need not keep, and for parts that can be done side by side (calls in one answer). What a call or two can do, do yourself.
- But for a fork, it knows only its prompt: say what to find out or change, where, and what to give back. The user does not see its answer.`,
    input: hasTeams ? teamInput : agentInput,
    access: (call) => ({ kind: 'named', name: kindOf(call), asks: false }),
    isConcurrencySafe: () => true,
    run: (call, context) => context.service(agentsPort).call(call, context),
  };
}
