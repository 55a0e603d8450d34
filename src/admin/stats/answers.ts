import { costOf } from '../../model/pricing.ts';
import { answerKey, blocksOf, instantOf, isErrorAnswer } from '../../sessions/entry-fields.ts';
import { isObject, type JsonObject, stringField } from '../../util/json.ts';
import type { ApiUsage } from '../../wire/api/usage.ts';
import type { Entry } from '../../wire/entries.ts';

export interface TokenCounts {
  /** Without those that the cache answered or stored. */
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
}

/** One answer of a model, from all entries that hold a block of it. */
export interface Answer {
  /** Milliseconds since the epoch; 0 when unknown. */
  at: number;
  model: string;
  tokens: TokenCounts;
  /** As the entry tells it, else from the table of prices. */
  costUsd: number;
  /** The names of the tools that it calls, one for each call. */
  calls: string[];
}

/** Answers by their keys, in the order of a file. */
export class Answers {
  readonly #byKey = new Map<string, Answer>();
  #unnamed = 0;

  get size(): number {
    return this.#byKey.size;
  }

  /** Every entry of an answer repeats its usage, and the last one is complete; their calls add up. */
  add(entry: Entry): void {
    const answer = answerOf(entry);
    if (!answer) return;
    const key = keyOf(entry) ?? `unnamed ${this.#unnamed++}`;
    const before = this.#byKey.get(key);
    this.#byKey.set(key, before ? { ...answer, calls: [...before.calls, ...answer.calls] } : answer);
  }

  has(entry: Entry): boolean {
    return this.#byKey.has(keyOf(entry) ?? '');
  }

  /** All of them; afterwards there are none. */
  take(): Answer[] {
    const all = [...this.#byKey.values()];
    this.#byKey.clear();
    return all;
  }
}

/** What identifies an answer within its session. */
export function keyOf(entry: Entry): string | null {
  return answerKey(entry) ?? stringField(entry, 'uuid') ?? null;
}

function answerOf(entry: Entry): Answer | null {
  const { message, costUSD } = entry;
  const model = stringField(message, 'model');
  if (model === undefined || isErrorAnswer(entry)) return null;
  const usage = usageIn(message);
  const calls = blocksOf(entry).filter(({ type }) => type === 'tool_use');
  return {
    at: instantOf(entry),
    model,
    tokens: {
      inputTokens: usage.input_tokens,
      outputTokens: usage.output_tokens,
      cacheReadTokens: usage.cache_read_input_tokens ?? 0,
      cacheWriteTokens: usage.cache_creation_input_tokens ?? 0,
    },
    costUsd: typeof costUSD === 'number' ? costUSD : costOf(model, usage),
    calls: calls.map((call) => stringField(call, 'name') ?? 'unknown'),
  };
}

/** The usage as far as its numbers are plausible. */
function usageIn(message: unknown): ApiUsage {
  const usage = isObject(message) && isObject(message.usage) ? message.usage : {};
  const hourly = isObject(usage.cache_creation) ? countIn(usage.cache_creation, 'ephemeral_1h_input_tokens') : 0;
  const searches = isObject(usage.server_tool_use) ? countIn(usage.server_tool_use, 'web_search_requests') : 0;
  return {
    input_tokens: countIn(usage, 'input_tokens'),
    output_tokens: countIn(usage, 'output_tokens'),
    cache_read_input_tokens: countIn(usage, 'cache_read_input_tokens'),
    cache_creation_input_tokens: countIn(usage, 'cache_creation_input_tokens'),
    cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: hourly },
    server_tool_use: { web_search_requests: searches, web_fetch_requests: 0 },
  };
}

/** A count in a record of a file; 0 where there is none. */
export function countIn(record: JsonObject, name: string): number {
  const count = record[name];
  return typeof count === 'number' && Number.isFinite(count) && count > 0 ? count : 0;
}
