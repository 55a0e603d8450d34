import { isFilled, isObject, type JsonObject, tryParseJson } from '../util/json.ts';
import { HeddleError } from '../wire/errors.ts';
import type { ModelLimits } from './pricing.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Names for models, e.g. `{"fast":"openai/qwen3-coder"}`. Built-in names may be given another meaning. */
export const ALIASES_VARIABLE = 'HEDDLE_MODEL_ALIASES';
/** Token limits of models by id, e.g. `{"openai/qwen3-coder":{"contextWindow":65536,"maxOutputTokens":8192}}`. */
export const LIMITS_VARIABLE = 'HEDDLE_MODEL_LIMITS';

/** The model that the user has assigned to this name, or undefined. */
export function userAlias(name: string, env: Env): string | undefined {
  const table = tableOf(ALIASES_VARIABLE, env);
  const key = Object.keys(table).find((each) => each.toLowerCase() === name.toLowerCase());
  if (key === undefined) return undefined;
  const meaning = table[key];
  if (isFilled(meaning)) return meaning.trim();
  throw wrong(ALIASES_VARIABLE, `${key} must be the name of a model`);
}

/** The limits that the user has set for this model. */
export function userLimits(id: string, env: Env): Partial<ModelLimits> {
  const table = tableOf(LIMITS_VARIABLE, env);
  if (!Object.hasOwn(table, id)) return {};
  const limits = table[id];
  if (!isObject(limits)) throw wrong(LIMITS_VARIABLE, `${id} must be an object`);
  return { ...count(limits, 'contextWindow', id), ...count(limits, 'maxOutputTokens', id) };
}

function count(limits: JsonObject, key: keyof ModelLimits, id: string): Partial<ModelLimits> {
  const value = limits[key];
  if (value === undefined) return {};
  if (typeof value === 'number' && Number.isInteger(value) && value > 0) return { [key]: value };
  throw wrong(LIMITS_VARIABLE, `${key} of ${id} must be a whole number above 0`);
}

function tableOf(variable: string, env: Env): JsonObject {
  const text = env[variable]?.trim();
  if (!text) return {};
  const table = tryParseJson(text);
  if (isObject(table)) return table;
  throw wrong(variable, 'it must be a JSON object by model name');
}

function wrong(variable: string, problem: string): HeddleError {
  return new HeddleError('invalid_option', `${variable} is not valid: ${problem}`);
}
