import { definePort } from '../port.ts';
import type { ToolContext, ToolOutput } from '../tool.ts';
import type { AgentCall } from './agent-call.ts';
import type { TeamPort } from './team-port.ts';

/** Starts agents on behalf of the calls of a session or of an agent, and lets them reach each other. */
export interface AgentsPort {
  /** Runs the agent to its end, or starts it in the background. Throws a ToolError that the model should read. */
  call(call: AgentCall, context: ToolContext): Promise<ToolOutput>;
  /** Absent without teams. */
  readonly team?: TeamPort | undefined;
}

export const agentsPort = definePort<AgentsPort>('agents');
