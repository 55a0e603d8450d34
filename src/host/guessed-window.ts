import { modelChoices } from '../model/model-choices.ts';
import { nearestWord } from '../util/nearest.ts';
import { printable } from '../util/printable.ts';
import type { Chosen } from './models.ts';

/** Said of a model that nobody has told about: that its window is a guess, and what else may have been meant. */
export function guessedWindow({ id, contextWindow }: Pick<Chosen, 'id' | 'contextWindow'>): string {
  const name = printable(id);
  const tokens = contextWindow.toLocaleString('en-US');
  return `The context window of ${name} is unknown; assuming ${tokens} tokens. ${meantBy(name)}`;
}

const OF_OPENAI = /^(?:gpt-|chatgpt-|o\d\b)/i;

function meantBy(name: string): string {
  // Names without a version, which a slip of the fingers would turn into the id of no model.
  const names = modelChoices({}, undefined).map(({ value }) => value);
  const near = nearestWord(name, names);
  if (near !== null) return `Did you mean --model ${near}?`;
  if (OF_OPENAI.test(name)) return `It is asked of the Anthropic API; for OpenAI's: --model openai/${name}.`;
  return 'HEDDLE_MODEL_LIMITS or HEDDLE_CONTEXT_WINDOW sets it.';
}
