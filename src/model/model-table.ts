import { isFilled, isObject, type JsonObject, tryParseJson } from '../util/json.ts';
import { HeddleError } from '../wire/errors.ts';
import type { ModelLimits, Price } from './pricing.ts';
import { canonicalName } from './provider-names.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Names for models, e.g. `{"fast":"openai/qwen3-coder"}`. Built-in names may be given another meaning. */
export const ALIASES_VARIABLE = 'HEDDLE_MODEL_ALIASES';
/** Token limits of models by id, e.g. `{"openai/qwen3-coder":{"contextWindow":65536,"maxOutputTokens":8192}}`. */
export const LIMITS_VARIABLE = 'HEDDLE_MODEL_LIMITS';

/** Prices of models by id, in US dollars per million tokens, e.g. `{"openai/qwen3-coder":{"input":0.2,"output":0.8}}`. */
export const PRICES_VARIABLE = 'HEDDLE_MODEL_PRICES';

/** What clouds call models, by Anthropic's ids, e.g. `{"claude-opus-4-6":"arn:aws:bedrock:…"}`. */
export const OVERRIDES_VARIABLE = 'HEDDLE_MODEL_OVERRIDES';

/** What the user's cloud calls this model; undefined where the user has not said. Takes any cloud's form of its name. */
export function userOverride(model: string, env: Env): string | undefined {
  const table = tableOf(OVERRIDES_VARIABLE, env);
  const name = canonicalName(model);
  const undated = name.replace(/-\d{8}$/, '');
  const key = [name, undated].find((each) => Object.hasOwn(table, each));
  if (key === undefined) return undefined;
  const meaning = table[key];
  if (isFilled(meaning)) return meaning.trim();
  throw wrong(OVERRIDES_VARIABLE, `${key} must be the name of a model`);
}

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

/** The price that the user has set for this model. Reading and writing caches costs as much as input, unless given. */
export function userPrice(id: string, env: Env): { price?: Price } {
  const table = tableOf(PRICES_VARIABLE, env);
  if (!Object.hasOwn(table, id)) return {};
  const row = table[id];
  if (!isObject(row)) throw wrong(PRICES_VARIABLE, `${id} must be an object`);
  const dollars = (key: string, usual?: number) => {
    const value = row[key] ?? usual;
    if (typeof value === 'number' && value >= 0) return value;
    throw wrong(PRICES_VARIABLE, `${key} of ${id} must be a number of dollars`);
  };
  const input = dollars('input');
  const cacheWrite = dollars('cacheWrite', input);
  const cacheRead = dollars('cacheRead', input);
  return { price: { input, output: dollars('output'), cacheRead, cacheWrite5m: cacheWrite, cacheWrite1h: cacheWrite } };
}

function count(limits: JsonObject, key: 'contextWindow' | 'maxOutputTokens', id: string): Partial<ModelLimits> {
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
