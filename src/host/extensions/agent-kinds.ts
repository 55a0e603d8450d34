import { BUNDLED_AGENT_PROMPTS, BUNDLED_AGENTS } from '../../config/extensions/bundled-agents.ts';
import { plainName } from '../../permissions/name-rules.ts';
import type { AgentToolOptions } from '../../tools/agents/agent.ts';
import { isObject, stringField } from '../../util/json.ts';
import type { AgentDefinition } from '../../wire/agent-definition.ts';
import type { ConfiguredHooks } from '../launch/hook-settings.ts';
import type { Extensions } from './extensions.ts';

/** A kind of agent that can be started in a session. */
export interface AgentType {
  name: string;
  /** Without a prompt: `promptOf` knows the prompt of a built-in agent. */
  definition: Omit<AgentDefinition, 'prompt'> & { prompt?: string };
  source: 'host' | 'file' | 'built-in';
  /** Hooks that apply while such an agent runs. */
  hooks?: ConfiguredHooks;
}

export interface AgentSource {
  extensions: Pick<Extensions, 'agents'>;
  /** Agents that the launch or `initialize` defines, by name. */
  hostAgents: unknown;
}

/** The agents of a session, each name once: the host's before those of files before built-in ones. */
export function agentTypes({ extensions, hostAgents }: AgentSource): AgentType[] {
  const given = isObject(hostAgents) ? Object.entries(hostAgents) : [];
  const all: AgentType[] = [
    ...given.map(([name, definition]) => ({ name, definition: readable(definition), source: 'host' as const })),
    ...extensions.agents.map(({ name, definition, path, hooks, env }) => ({
      name,
      definition,
      source: 'file' as const,
      ...(hooks && { hooks: { raw: hooks, source: { scope: 'agent', where: path, ...(env && { env }) } } }),
    })),
  ];
  const taken = new Set(all.map(({ name }) => name));
  const own = BUNDLED_AGENTS.filter(({ name }) => !taken.has(name)).map(
    ({ name, tools, disallowedTools, description }) => ({
      name,
      definition: {
        description,
        ...(tools && { tools: [...tools] }),
        ...(disallowedTools && { disallowedTools: [...disallowedTools] }),
      },
      source: 'built-in' as const,
    }),
  );
  const seen = new Set<string>();
  return [...own, ...all].filter(({ name }) => !seen.has(name) && seen.add(name));
}

/** The agent that continues its caller's conversation. Only calls start it, so that no list of agents names it. */
export const FORK: AgentType = {
  name: 'fork',
  definition: {
    description:
      'A second you, for work that needs what was said here: knows this conversation, has your prompt and tools; its prompt says only what to do',
  },
  source: 'built-in',
};

/** The agents that a call can start. A user's agent replaces the fork of the same name. */
export function callableTypes(source: AgentSource): AgentType[] {
  const types = agentTypes(source);
  return findAgent(types, FORK.name) ? types : [...types, FORK];
}

/** The agent of this name. Models also write `explore` or `general_purpose`. */
export function findAgent(types: readonly AgentType[], name: string): AgentType | undefined {
  return types.find((type) => type.name === name) ?? types.find((type) => plainName(type.name) === plainName(name));
}

/** What the Task tool needs to know of agents. `kindOfTask`: the kind of an agent that the session has run. */
export function agentToolOptions(
  source: AgentSource,
  { hasTeams, kindOfTask }: { hasTeams: boolean; kindOfTask(id: string): string | undefined },
): AgentToolOptions {
  const types = callableTypes(source);
  return {
    listing: describeAgents(types),
    hasTeams,
    kindOf({ subagent_type, resume }) {
      const kind = (resume !== undefined && kindOfTask(resume)) || subagent_type;
      return findAgent(types, kind)?.name ?? kind;
    },
  };
}

/** One line for each agent, for the model. */
function describeAgents(types: readonly AgentType[]): string {
  return types.map(({ name, definition }) => `- ${oneLine(name)}: ${oneLine(definition.description)}`).join('\n');
}

const MAX_DESCRIPTION = 500;

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > MAX_DESCRIPTION ? `${line.slice(0, MAX_DESCRIPTION)}…` : line;
}

/** The schema checks a host's agents when they arrive; this function only must not throw. */
function readable(definition: unknown): AgentType['definition'] {
  const fields = isObject(definition) ? definition : {};
  return { ...fields, description: stringField(fields, 'description') ?? '' } as AgentType['definition'];
}

/** The error text for a name that no agent has. */
export function unknownAgent(types: readonly AgentType[], name: string): string {
  return `No agent is called '${name}'. These exist: ${types.map((type) => type.name).join(', ')}`;
}

/** The system prompt of an agent of this kind. */
export function promptOf({ name, definition, source }: AgentType): string {
  if (definition.prompt !== undefined && definition.prompt.trim() !== '') return definition.prompt;
  const own = source === 'built-in' ? BUNDLED_AGENT_PROMPTS[name] : undefined;
  return own ?? BUNDLED_AGENT_PROMPTS['general-purpose'] ?? '';
}
