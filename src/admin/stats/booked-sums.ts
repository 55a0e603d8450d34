import { isObject } from '../../util/json.ts';
import type { Entry } from '../../wire/entries.ts';
import { countIn, type TokenCounts } from './answers.ts';

/** What a session has spent with one model. */
export interface Spent {
  model: string;
  tokens: TokenCounts;
  costUsd: number;
}

/**
 * The totals that a session records after each turn, also for its agents and summaries: what comes in with each is the
 * difference to the one before. Smaller totals are those of a process that began again at zero.
 */
export class BookedSums {
  #totalUsd = 0;
  #models = new Map<string, Spent>();

  /** What was spent since the last totals. `lastModel`: which one a cost counts for that names no model. */
  add({ totalCostUSD, modelUsage }: Entry, lastModel: string | undefined): Spent[] {
    const models = new Map(isObject(modelUsage) ? Object.entries(modelUsage).flatMap(spentWith) : []);
    const named = [...models.values()].reduce((sum, { costUsd }) => sum + costUsd, 0);
    const totalUsd = typeof totalCostUSD === 'number' ? totalCostUSD : named;
    const isNew = totalUsd < this.#totalUsd - LEAST_USD;
    const before = isNew ? new Map<string, Spent>() : this.#models;
    const spent = [...models.values()].map((now) => difference(now, before.get(now.model)));
    const rest = totalUsd - (isNew ? 0 : this.#totalUsd) - spent.reduce((sum, { costUsd }) => sum + costUsd, 0);
    this.#totalUsd = totalUsd;
    this.#models = models;
    const unnamed = rest > LEAST_USD ? [{ model: lastModel ?? 'unknown', tokens: NO_TOKENS, costUsd: rest }] : [];
    return [...spent.filter(isSomething), ...unnamed];
  }
}

/** Less is an error of floating point. */
const LEAST_USD = 1e-9;
const NO_TOKENS: TokenCounts = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

function spentWith([model, counts]: [string, unknown]): [string, Spent][] {
  if (!isObject(counts)) return [];
  const tokens = {
    inputTokens: countIn(counts, 'inputTokens'),
    outputTokens: countIn(counts, 'outputTokens'),
    cacheReadTokens: countIn(counts, 'cacheReadInputTokens'),
    cacheWriteTokens: countIn(counts, 'cacheCreationInputTokens'),
  };
  return [[model, { model, tokens, costUsd: countIn(counts, 'costUSD') }]];
}

function difference({ model, tokens, costUsd }: Spent, before: Spent | undefined): Spent {
  const was = before?.tokens ?? NO_TOKENS;
  return {
    model,
    tokens: {
      inputTokens: Math.max(0, tokens.inputTokens - was.inputTokens),
      outputTokens: Math.max(0, tokens.outputTokens - was.outputTokens),
      cacheReadTokens: Math.max(0, tokens.cacheReadTokens - was.cacheReadTokens),
      cacheWriteTokens: Math.max(0, tokens.cacheWriteTokens - was.cacheWriteTokens),
    },
    costUsd: Math.max(0, costUsd - (before?.costUsd ?? 0)),
  };
}

function isSomething({ tokens, costUsd }: Spent): boolean {
  return costUsd > 0 || Object.values(tokens).some((count) => count > 0);
}
