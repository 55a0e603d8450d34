import { modelChoices } from '../../model/model-choices.ts';
import { isKnownModel, type ModelLimits } from '../../model/pricing.ts';
import { type Env, LONG_CONTEXT, LONG_CONTEXT_BETA } from '../../model/resolve.ts';
import type { Logger } from '../../util/runtime.ts';
import { nearestWord } from '../../util/text/nearest.ts';
import { printable } from '../../util/text/printable.ts';
import type { SelectedModel } from '../engine/engine-models.ts';
import { isOfBedrock } from '../engine/environment.ts';

/** The models that one session has used so far, and their limits in it. */
export interface KnownModels {
  select(name: string | undefined): Promise<SelectedModel>;
  limitsOf(model: string): ModelLimits | undefined;
  /** Whether one of them was a model of Amazon Bedrock, by its name. */
  hasBedrock(): boolean;
}

/** The models that a session can have. */
export interface ModelCatalog extends KnownModels {
  /** The source of the lists of models for hosts: the environment, and the model of the launch. */
  readonly choice: { readonly env: Env; readonly model: string };
}

/**
 * Selects models for a session whose requests carry these betas; one of them lengthens the window. Warns once per model
 * whose window is a guess, or whose cost a budget cannot count: a model of the launch, of `set_model`, or a fallback.
 */
export function createKnownModels(
  find: (name: string | undefined) => Promise<SelectedModel>,
  { betas, hasBudget = false, log }: { betas: readonly string[]; hasBudget?: boolean; log: Logger },
): KnownModels {
  const known = new Map<string, SelectedModel>();
  const isLong = betas.includes(LONG_CONTEXT_BETA);
  return {
    async select(name) {
      const model = await find(name);
      const selected = isLong ? { ...model, contextWindow: Math.max(LONG_CONTEXT, model.contextWindow) } : model;
      const isNew = !known.has(selected.id);
      known.set(selected.id, selected);
      if (selected.isWindowGuessed && isNew) log('warn', guessedWindow(selected));
      // Before anything is spent: afterwards is too late.
      if (hasBudget && isNew && !isPriced(selected))
        log('warn', `--max-budget-usd cannot stop it: ${unknownPrice(selected.id)}`);
      return selected;
    },
    limitsOf: (model) => known.get(model),
    hasBedrock: () => [...known.keys()].some(isOfBedrock),
  };
}

function isPriced({ id, price }: SelectedModel): boolean {
  return price !== undefined || isKnownModel(id);
}

/** The warning about a model whose answers count as free. */
export function unknownPrice(model: string): string {
  return `No price is known for the model ${printable(model)}: its cost is counted as 0 (modelPricing of the settings sets it)`;
}

/** The warning about an unknown model: its window is a guess. Suggests the model that may have been meant. */
export function guessedWindow({ id, contextWindow }: Pick<SelectedModel, 'id' | 'contextWindow'>): string {
  const name = printable(id);
  const tokens = inThousands(contextWindow);
  return `The context window of ${name} is unknown; assuming ${tokens} tokens. ${meantBy(name)}`;
}

/** As `toLocaleString` writes it; that one would read Node's tables of languages, 10 ms in the middle of a start. */
function inThousands(count: number): string {
  return String(count).replace(/(?<=\d)(?=(?:\d{3})+$)/g, ',');
}

const OF_OPENAI = /^(?:gpt-|chatgpt-|o\d\b)/i;

function meantBy(name: string): string {
  // Names without a version: a mistyped name is not the id of any model.
  const names = modelChoices({}, undefined).map(({ value }) => value);
  const near = nearestWord(name, names);
  if (near !== null) return `Did you mean --model ${near}?`;
  if (OF_OPENAI.test(name)) return `It is asked of the Anthropic API; for OpenAI's: --model openai/${name}.`;
  return 'HEDDLE_MODEL_LIMITS or HEDDLE_CONTEXT_WINDOW sets it.';
}
