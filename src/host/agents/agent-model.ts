import type { SelectedModel } from '../engine/engine-models.ts';

const ALIASES: ReadonlySet<string> = new Set(['sonnet', 'opus', 'haiku']);

/** The model that an agent names; null: the model of its caller. Aliases have a meaning only with the provider of these models. */
export function namedModel(
  { selected }: { readonly selected: SelectedModel },
  name: string | undefined,
): string | null {
  if (name === undefined || name === '' || name === 'inherit') return null;
  return ALIASES.has(name) && selected.model.provider !== 'anthropic' ? null : name;
}
