import { boolean, type InputOf, integer, objectInput, oneOf, optional, string, withDefault } from '../input-schema.ts';
import { definePort } from '../port.ts';
import type { ToolContext, ToolOutput } from '../tool.ts';
import type { TeamPort } from './team-port.ts';

export const GENERAL_AGENT = 'general-purpose';

const fields = {
  description: string('In three to five words'),
  prompt: string('The whole task'),
  subagent_type: withDefault(string(''), GENERAL_AGENT),
  model: optional(oneOf(['sonnet', 'opus', 'haiku'], '')),
  resume: optional(string('The id of an agent that has ended: goes on with all that it knows')),
  run_in_background: optional(boolean('You are told when it has finished')),
  max_turns: optional(integer('At most', { minimum: 1 })),
  isolation: optional(oneOf(['worktree'], 'In a git worktree of its own, kept if files change there')),
};

/** The schema requires the kind of agent, as the reference does; a call without it is accepted all the same. */
export const agentInput = requiring(objectInput(fields), ['description', 'prompt', 'subagent_type']);

/** The input where agents can be members of teams. */
export const teamInput = requiring(
  objectInput({
    ...fields,
    name: optional(string('How others call this teammate: letters, digits and dashes')),
    team_name: optional(string('Makes it a member of this team, which works on beside you until it is shut down')),
    mode: optional(string('The permission mode of the teammate; it can only be narrower than yours')),
  }),
  ['description', 'prompt', 'subagent_type'],
);

/** A call of the Task tool, checked. */
export type AgentCall = InputOf<typeof teamInput>;

/** Starts agents on behalf of the calls of a session or of an agent, and lets them reach each other. */
export interface AgentsPort {
  /** Runs the agent to its end, or starts it in the background. Throws a ToolError that the model should read. */
  call(call: AgentCall, context: ToolContext): Promise<ToolOutput>;
  /** Absent without teams. */
  readonly team?: TeamPort | undefined;
}

export const agentsPort = definePort<AgentsPort>('agents');

function requiring<T extends { json: object }>(schema: T, required: readonly string[]): T {
  return { ...schema, json: { ...schema.json, required } };
}
