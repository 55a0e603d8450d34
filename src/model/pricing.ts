import type { ApiUsage } from '../wire/api/usage.ts';
import { canonicalName } from './provider-names.ts';

export interface ModelLimits {
  contextWindow: number;
  /** The most that the model can write in one answer; the caller chooses how much to request. */
  maxOutputTokens: number;
  /** Its price, where the user or its server has told one. */
  price?: Price;
}

/**
 * The cost of the tokens of one answer, in US dollars. `own`: the price that was told elsewhere. A model that is
 * not in the table costs 0: ask `isKnownModel`.
 */
export function costOf(model: string, usage: ApiUsage, own?: Price): number {
  const entry: Pick<ModelEntry, 'price' | 'longPrompt'> | undefined = own ? { price: own } : find(model);
  if (!entry) return 0;
  const read = usage.cache_read_input_tokens ?? 0;
  const write = usage.cache_creation_input_tokens ?? 0;
  const writeFor1h = Math.min(write, usage.cache_creation?.ephemeral_1h_input_tokens ?? 0);
  const { longPrompt } = entry;
  const isLong = longPrompt !== undefined && usage.input_tokens + read + write > longPrompt.above;
  const price = isLong ? longPrompt.price : entry.price;
  const tokens =
    usage.input_tokens * price.input +
    usage.output_tokens * price.output +
    read * price.cacheRead +
    (write - writeFor1h) * price.cacheWrite5m +
    writeFor1h * price.cacheWrite1h;
  const searches = usage.server_tool_use?.web_search_requests ?? 0;
  return tokens / 1_000_000 + searches * WEB_SEARCH_USD;
}

export function isKnownModel(model: string): boolean {
  return find(model) !== undefined;
}

/**
 * The context window and output limit of a model. A model that is not in the table gets values that most such models
 * support.
 */
export function modelLimits(model: string): ModelLimits {
  const unknown = OF_ANOTHER_SERVER.test(model) ? UNKNOWN_OPENAI_LIMITS : UNKNOWN_LIMITS;
  const { contextWindow, maxOutputTokens } = find(model) ?? unknown;
  return { contextWindow, maxOutputTokens };
}

/** Models of Anthropic's API have no slash in their names. */
const OF_ANOTHER_SERVER = /^[^/]+\//;
const UNKNOWN_LIMITS: ModelLimits = { contextWindow: 200_000, maxOutputTokens: 32_000 };
const UNKNOWN_OPENAI_LIMITS: ModelLimits = { contextWindow: 128_000, maxOutputTokens: 8_000 };
const WEB_SEARCH_USD = 0.01;

/** US dollars per million tokens. */
export interface Price {
  input: number;
  output: number;
  cacheWrite5m: number;
  cacheWrite1h: number;
  cacheRead: number;
}

interface ModelEntry extends ModelLimits {
  /** The start of the model's id. */
  prefix: string;
  price: Price;
  /** The whole request costs more when its prompt is longer than this. */
  longPrompt?: { above: number; price: Price };
}

/** Writing to the cache costs 1.25 (5 minutes) and 2 times (1 hour) the input, reading a tenth, unless given. */
function price(input: number, output: number, cacheRead = input / 10): Price {
  return { input, output, cacheWrite5m: input * 1.25, cacheWrite1h: input * 2, cacheRead };
}

const K = 1000;
const M = 1_000_000;
const SONNET = price(3, 15);
const OPUS = price(5, 25);
const FIRST_OPUS = price(15, 75);
const LONG_SONNET = { above: 200 * K, price: price(6, 22.5) };

/**
 * The longest matching prefix wins, so the order does not matter. Ids are `claude-<family>-<version>[-<date>]`. Compared
 * with the provider's public price list on 2026-10-15.
 */
const MODELS: readonly ModelEntry[] = [
  { prefix: 'offline', price: price(0, 0), contextWindow: 200 * K, maxOutputTokens: 32 * K },

  { prefix: 'claude-fable-5', price: price(10, 50), contextWindow: M, maxOutputTokens: 128 * K },
  { prefix: 'claude-fable-5-1', price: price(10, 50, 0.25), contextWindow: M, maxOutputTokens: 128 * K },

  { prefix: 'claude-opus-5-5', price: price(4, 20, 0.2), contextWindow: M, maxOutputTokens: 128 * K },
  { prefix: 'claude-opus-5', price: OPUS, contextWindow: M, maxOutputTokens: 128 * K },
  { prefix: 'claude-opus-4-8', price: OPUS, contextWindow: M, maxOutputTokens: 128 * K },
  { prefix: 'claude-opus-4-7', price: OPUS, contextWindow: M, maxOutputTokens: 128 * K },
  { prefix: 'claude-opus-4-6', price: OPUS, contextWindow: M, maxOutputTokens: 128 * K },
  { prefix: 'claude-opus-4-5', price: OPUS, contextWindow: 200 * K, maxOutputTokens: 64 * K },
  { prefix: 'claude-opus-4', price: FIRST_OPUS, contextWindow: 200 * K, maxOutputTokens: 32 * K },
  { prefix: 'claude-3-opus', price: FIRST_OPUS, contextWindow: 200 * K, maxOutputTokens: 4096 },

  { prefix: 'claude-sonnet-5-5', price: price(2, 10, 0.1), contextWindow: M, maxOutputTokens: 128 * K },
  { prefix: 'claude-sonnet-5', price: price(2, 10), contextWindow: M, maxOutputTokens: 128 * K },
  { prefix: 'claude-sonnet-4-6', price: SONNET, contextWindow: M, maxOutputTokens: 128 * K },
  {
    prefix: 'claude-sonnet-4',
    price: SONNET,
    contextWindow: 200 * K,
    maxOutputTokens: 64 * K,
    longPrompt: LONG_SONNET,
  },
  { prefix: 'claude-3-7-sonnet', price: SONNET, contextWindow: 200 * K, maxOutputTokens: 64 * K },
  { prefix: 'claude-3-5-sonnet', price: SONNET, contextWindow: 200 * K, maxOutputTokens: 8192 },
  { prefix: 'claude-3-sonnet', price: SONNET, contextWindow: 200 * K, maxOutputTokens: 4096 },

  {
    prefix: 'claude-haiku-5-5',
    price: price(0.1, 0.5),
    contextWindow: M,
    maxOutputTokens: 128 * K,
    longPrompt: { above: 100 * K, price: price(0.5, 2.5) },
  },
  { prefix: 'claude-haiku-4-5', price: price(1, 5), contextWindow: 200 * K, maxOutputTokens: 64 * K },
  { prefix: 'claude-3-5-haiku', price: price(0.8, 4), contextWindow: 200 * K, maxOutputTokens: 8192 },
  {
    prefix: 'claude-3-haiku',
    price: { input: 0.25, output: 1.25, cacheWrite5m: 0.3, cacheWrite1h: 0.5, cacheRead: 0.03 },
    contextWindow: 200 * K,
    maxOutputTokens: 4096,
  },
];

/** A prefix ends where a part of the id ends: `claude-opus-5` is not the price of `claude-opus-55`. */
function find(name: string): ModelEntry | undefined {
  const model = canonicalName(name);
  return MODELS.filter(({ prefix }) => model === prefix || model.startsWith(`${prefix}-`)).reduce<
    ModelEntry | undefined
  >((best, entry) => (best && best.prefix.length > entry.prefix.length ? best : entry), undefined);
}
