import { BUNDLED_AGENTS } from '../../config/bundled-agents.ts';
import { isObject, type JsonObject, stringField } from '../../util/json.ts';
import type { AgentDefinition } from '../../wire/agent-definition.ts';
import type { Extensions } from '../extensions.ts';

/** A kind of agent that can be started in a session. */
export interface AgentType {
  name: string;
  /** The prompt of one that comes with Heddle is loaded with the first of its kind. */
  definition: Omit<AgentDefinition, 'prompt'> & { prompt?: string };
  source: 'host' | 'file' | 'built-in';
  /** Hooks that are there while such an agent runs. */
  hooks?: JsonObject;
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
    ...extensions.agents.map(({ name, definition, hooks }) => ({
      name,
      definition,
      source: 'file' as const,
      ...(hooks && { hooks }),
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

/** One line for each, for the model. */
export function describeAgents(types: readonly AgentType[]): string {
  return types.map(({ name, definition }) => `- ${name}: ${oneLine(definition.description)}`).join('\n');
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
