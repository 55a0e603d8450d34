import { BUNDLED_AGENTS } from '../../config/bundled-agents.ts';
import { plainName } from '../../permissions/name-rules.ts';
import type { AgentToolOptions } from '../../tools/agent.ts';
import { isObject, stringField } from '../../util/json.ts';
import type { AgentDefinition } from '../../wire/agent-definition.ts';
import type { Extensions } from '../extensions.ts';
import type { GivenHooks } from '../hooks.ts';

/** A kind of agent that can be started in a session. */
export interface AgentType {
  name: string;
  /** The prompt of one that comes with Heddle is loaded with the first of its kind. */
  definition: Omit<AgentDefinition, 'prompt'> & { prompt?: string };
  source: 'host' | 'file' | 'built-in';
  /** Hooks that are there while such an agent runs. */
  hooks?: GivenHooks;
}

export interface AgentHolder {
  extensions: Pick<Extensions, 'agents'>;
  /** Agents that the launch or `initialize` defines, by name. */
  hostAgents: unknown;
}

/** The agents of a session: each name once, those of the host before those of files before ours. */
export function agentTypes({ extensions, hostAgents }: AgentHolder): AgentType[] {
  const given = isObject(hostAgents) ? Object.entries(hostAgents) : [];
  const all: AgentType[] = [
    ...given.map(([name, definition]) => ({ name, definition: readable(definition), source: 'host' as const })),
    ...extensions.agents.map(({ name, definition, path, hooks, env }) => ({
      name,
      definition,
      source: 'file' as const,
      ...(hooks && { hooks: { given: hooks, source: { scope: 'agent', where: path, ...(env && { env }) } } }),
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

/** The kind of agent that goes on from where its caller is. It is started by calls alone, so no list of agents names it. */
export const FORK: AgentType = {
  name: 'fork',
  definition: {
    description:
      'A second you: knows this whole conversation and has your prompt and tools. For a part of the work that needs what was said; its prompt says only what to do',
  },
  source: 'built-in',
};

/** What calls can start: an agent that is called as ours goes before it. */
export function callableTypes(holder: AgentHolder): AgentType[] {
  const types = agentTypes(holder);
  return findAgent(types, FORK.name) ? types : [...types, FORK];
}

/** The agent of this name. Models write `explore` or `general_purpose`, too. */
export function findAgent(types: readonly AgentType[], name: string): AgentType | undefined {
  return types.find((type) => type.name === name) ?? types.find((type) => plainName(type.name) === plainName(name));
}

/** What the tool that starts agents has to know of them. `kindOfTask`: what an agent is that the session has had. */
export function agentToolOptions(
  holder: AgentHolder,
  { hasTeams, kindOfTask }: { hasTeams: boolean; kindOfTask(id: string): string | undefined },
): AgentToolOptions {
  const types = callableTypes(holder);
  return {
    listing: describeAgents(types),
    hasTeams,
    kindOf({ subagent_type, resume }) {
      const kind = (resume !== undefined && kindOfTask(resume)) || subagent_type;
      return findAgent(types, kind)?.name ?? kind;
    },
  };
}

/** One line for each, for the model. */
function describeAgents(types: readonly AgentType[]): string {
  return types.map(({ name, definition }) => `- ${oneLine(name)}: ${oneLine(definition.description)}`).join('\n');
}

const MAX_DESCRIPTION = 500;

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > MAX_DESCRIPTION ? `${line.slice(0, MAX_DESCRIPTION)}…` : line;
}

/** What a host gives is checked by its schema where it comes in; here nothing may break on it. */
function readable(definition: unknown): AgentType['definition'] {
  const fields = isObject(definition) ? definition : {};
  return { ...fields, description: stringField(fields, 'description') ?? '' } as AgentType['definition'];
}
