import { boolean, type InputOf, integer, objectInput, oneOf, optional, string, withDefault } from '../input-schema.ts';
import type { Tool, ToolContext, ToolOutput } from '../tool.ts';

export const TASK = 'Task';
export const GENERAL_AGENT = 'general-purpose';

const fields = {
  description: string('What the agent does, in three to five words'),
  prompt: string('The whole task'),
  subagent_type: withDefault(string('The kind of agent'), GENERAL_AGENT),
  model: optional(oneOf(['sonnet', 'opus', 'haiku'], 'Another model')),
  resume: optional(string('The id of an agent that has ended')),
  run_in_background: optional(boolean('Go on at once; you are told when the agent has finished')),
  max_turns: optional(integer('Rounds of tool calls at most', { minimum: 1 })),
  isolation: optional(oneOf(['worktree'], 'Work in a git worktree of its own; it is kept if files change there')),
};

/** The schema requires the kind of agent, as the reference does; a call without it is accepted all the same. */
export const agentInput = requiring(objectInput(fields), ['description', 'prompt', 'subagent_type']);

const teamInput = requiring(
  objectInput({
    ...fields,
    name: optional(string('How others call this teammate: letters, digits and dashes')),
    team_name: optional(string('Makes it a member of this team, which works on beside you until it is shut down')),
    mode: optional(string('The permission mode of the teammate; it can only be narrower than yours')),
  }),
  ['description', 'prompt', 'subagent_type'],
);

export type AgentCall = InputOf<typeof teamInput>;

/** Starts agents on behalf of the calls of a session or of an agent. */
export interface AgentPort {
  /** Runs the agent to its end, or starts it in the background. Throws a ToolError that the model should read. */
  call(call: AgentCall, context: ToolContext): Promise<ToolOutput>;
}

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

- For work that would fill this conversation with output you need not keep, and for parts that can be done side by side: calls in one answer run at the same time. What a call or two can do, do yourself.
- Unless it is a fork, it knows only its prompt: say what to find out or change, where, and what to give back. The user does not see its answer.
- resume takes up an agent again by its id, with all that it knows.`,
    input: hasTeams ? teamInput : agentInput,
    access: (call) => ({ kind: 'named', name: kindOf(call), asks: false }),
    isConcurrencySafe: () => true,
    run: (call, context) => context.session.agents.call(call, context),
  };
}

function requiring<T extends { json: object }>(schema: T, required: readonly string[]): T {
  return { ...schema, json: { ...schema.json, required } };
}
