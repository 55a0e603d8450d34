import type { Parts } from '../parts.ts';
import type { AgentType } from './agent-types.ts';

/** What to say of a name that no agent has. */
export function unknownAgent(types: readonly AgentType[], name: string): string {
  return `No agent is called '${name}'. These exist: ${types.map((type) => type.name).join(', ')}`;
}

/** What an agent of this kind is told to be. */
export async function promptOf({ name, definition, source }: AgentType): Promise<string> {
  if (definition.prompt !== undefined && definition.prompt.trim() !== '') return definition.prompt;
  const { BUNDLED_AGENT_PROMPTS } = await import('../../config/bundled-agent-texts.ts');
  const own = source === 'built-in' ? BUNDLED_AGENT_PROMPTS[name] : undefined;
  return own ?? BUNDLED_AGENT_PROMPTS['general-purpose'] ?? '';
}

const ALIASES: ReadonlySet<string> = new Set(['sonnet', 'opus', 'haiku']);

/** The model that an agent names; null: that of whoever it works for. An alias means something only where such models are. */
export function namedModel({ chosen }: Pick<Parts, 'chosen'>, name: string | undefined): string | null {
  if (name === undefined || name === '' || name === 'inherit') return null;
  return ALIASES.has(name) && chosen.model.provider !== 'anthropic' ? null : name;
}
