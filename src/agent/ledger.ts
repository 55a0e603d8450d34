import { costOf, isKnownModel, type ModelLimits, modelLimits } from '../model/pricing.ts';
import { canonicalName } from '../model/provider-names.ts';
import type { ApiUsage, ModelUsage, Usage } from '../wire/api/usage.ts';
import type { AgentOutput } from '../wire/tools/tool-outputs.ts';

/** Counts of the work that the tools of a session or an agent have done. */
export type ToolStats = NonNullable<AgentOutput['toolStats']>;

/** The state that a ledger is restored from. */
export interface LedgerState {
  modelUsage: Record<string, Partial<ModelUsage>>;
  apiMs: number;
}

export interface LedgerOptions {
  /** Called once for each model that has no price. */
  onUnknownModel: (model: string) => void;
  /** The token limits of a model in this session; undefined: those of the built-in table. */
  limitsOf?: (model: string) => ModelLimits | undefined;
  /** The ledger of the agent that this one works for. Everything booked here is booked there as well. */
  parent?: Ledger;
}

/**
 * The usage of a session: tokens of the current turn, and tokens, cost and time per model since the session began, as
 * far as its file records them. Each agent has its own ledger, and its usage also counts for all agents above it.
 */
export class Ledger {
  /** The work of the tools in this process, including those of agents below. `tool-stats.ts` counts it. */
  readonly tools: Partial<ToolStats> = {};
  readonly #models = new Map<string, ModelUsage>();
  readonly #options: LedgerOptions;
  #turn = zeroUsage();
  #last = zeroUsage();
  #apiMs = 0;
  #ownCostUsd = 0;

  constructor(options: LedgerOptions) {
    this.#options = options;
  }

  get parent(): Ledger | undefined {
    return this.#options.parent;
  }

  /** A ledger for an agent that works for this one. */
  child(): Ledger {
    return new Ledger({ ...this.#options, parent: this });
  }

  beginTurn(): void {
    this.#turn = zeroUsage();
  }

  /** Books one answered model call of the conversation. */
  add(model: string, usage: ApiUsage, provider?: string): void {
    this.#turn = addUsage(this.#turn, plausible(usage));
    this.#last = addUsage(zeroUsage(), plausible(usage));
    this.addSideQuestion(model, usage, provider);
  }

  /** Books a call outside the conversation, such as a summary: it costs, but is not part of the turn's own usage. */
  addSideQuestion(model: string, reported: ApiUsage, provider?: string): void {
    const usage = plausible(reported);
    this.#ownCostUsd += this.#cost(model, usage);
    this.#recordUsage(model, usage, provider);
  }

  #cost(model: string, usage: ApiUsage): number {
    return costOf(model, usage, this.#options.limitsOf?.(model)?.price);
  }

  #recordUsage(model: string, usage: ApiUsage, provider: string | undefined): void {
    const entry = this.#models.get(model) ?? this.#open(model);
    entry.inputTokens += usage.input_tokens;
    entry.outputTokens += usage.output_tokens;
    entry.cacheReadInputTokens += usage.cache_read_input_tokens ?? 0;
    entry.cacheCreationInputTokens += usage.cache_creation_input_tokens ?? 0;
    entry.webSearchRequests += usage.server_tool_use?.web_search_requests ?? 0;
    entry.costUSD += this.#cost(model, usage);
    addDetails(entry, usage);
    if (provider) entry.provider = provider === 'anthropic' ? 'firstParty' : provider;
    const { parent } = this.#options;
    if (parent) parent.#recordUsage(model, usage, provider);
  }

  /** Starts from the usage that an earlier process of this session booked. */
  restore({ modelUsage, apiMs }: LedgerState): void {
    for (const [model, usage] of Object.entries(modelUsage))
      this.#models.set(model, { ...this.#open(model), ...usage });
    this.#apiMs += apiMs;
  }

  addApiTime(ms: number): void {
    this.#apiMs += ms;
    this.#options.parent?.addApiTime(ms);
  }

  /** Tokens of this turn, in the shape of `result.usage`. */
  get turnUsage(): Usage {
    return this.#turn;
  }

  /** Tokens of the last model call of the conversation, in the same shape. */
  get lastUsage(): Usage {
    return this.#last;
  }

  get apiMs(): number {
    return this.#apiMs;
  }

  get costUsd(): number {
    let sum = 0;
    for (const usage of this.#models.values()) sum += usage.costUSD;
    return sum;
  }

  /** The cost since the start of this process, without that of the agents that work for this one. */
  get ownCostUsd(): number {
    return this.#ownCostUsd;
  }

  /** The amount that counts against the budget: everything the session has spent, by all its agents. */
  get spentUsd(): number {
    return this.#options.parent?.spentUsd ?? this.costUsd;
  }

  get modelUsage(): Record<string, ModelUsage> {
    return Object.fromEntries([...this.#models].map(([model, usage]) => [model, { ...usage }]));
  }

  #open(model: string): ModelUsage {
    const { onUnknownModel, limitsOf, parent } = this.#options;
    // Only the session's ledger reports an unknown model: the bookings of all agents reach it.
    const limits = limitsOf?.(model) ?? modelLimits(model);
    const { contextWindow, maxOutputTokens, price } = limits;
    if (!parent && !price && !isKnownModel(model)) onUnknownModel(model);
    const entry: ModelUsage = {
      inputTokens: 0,
      outputTokens: 0,
      cacheReadInputTokens: 0,
      cacheCreationInputTokens: 0,
      webSearchRequests: 0,
      costUSD: 0,
      contextWindow,
      maxOutputTokens,
      ...pricedAs(model, price !== undefined),
    };
    this.#models.set(model, entry);
    return entry;
  }
}

type Detail = 'thinkingTokens' | 'cacheCreationEphemeral5mInputTokens' | 'cacheCreationEphemeral1hInputTokens';

/** Adds parts of other counts, where the provider reports them. */
function addDetails(entry: ModelUsage, { output_tokens_details, cache_creation }: ApiUsage): void {
  const reported: [Detail, number | undefined][] = [
    ['thinkingTokens', output_tokens_details?.thinking_tokens],
    ['cacheCreationEphemeral5mInputTokens', cache_creation?.ephemeral_5m_input_tokens],
    ['cacheCreationEphemeral1hInputTokens', cache_creation?.ephemeral_1h_input_tokens],
  ];
  for (const [detail, tokens] of reported) {
    if (tokens !== undefined) entry[detail] = (entry[detail] ?? 0) + Math.max(0, tokens);
  }
}

/** The price list of the cost, and the model's name in it. */
function pricedAs(model: string, hasOwnPrice: boolean): Pick<ModelUsage, 'canonicalModel' | 'costBasis'> {
  if (hasOwnPrice) return { costBasis: 'list' };
  if (!isKnownModel(model)) return { costBasis: 'unknown' };
  return { canonicalModel: canonicalName(model).replace(/-\d{8}$/, ''), costBasis: 'list' };
}

/** Replaces negative counts by 0, so that a wrong report of a provider cannot lift the budget. */
function plausible(usage: ApiUsage): ApiUsage {
  return {
    ...usage,
    input_tokens: Math.max(0, usage.input_tokens),
    output_tokens: Math.max(0, usage.output_tokens),
    cache_read_input_tokens: Math.max(0, usage.cache_read_input_tokens ?? 0),
    cache_creation_input_tokens: Math.max(0, usage.cache_creation_input_tokens ?? 0),
  };
}

/** The shape of `result.usage` before anything was used. */
export function zeroUsage(): Usage {
  return {
    input_tokens: 0,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: 0,
    server_tool_use: { web_search_requests: 0, web_fetch_requests: 0 },
    service_tier: 'standard',
    cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: 0 },
    inference_geo: '',
    iterations: [],
    speed: 'standard',
  };
}

/** Counters add up; descriptive fields take the newest value that the provider sent. */
function addUsage(sum: Usage, usage: ApiUsage): Usage {
  return {
    ...sum,
    input_tokens: sum.input_tokens + usage.input_tokens,
    cache_creation_input_tokens: sum.cache_creation_input_tokens + (usage.cache_creation_input_tokens ?? 0),
    cache_read_input_tokens: sum.cache_read_input_tokens + (usage.cache_read_input_tokens ?? 0),
    output_tokens: sum.output_tokens + usage.output_tokens,
    server_tool_use: addCounters(sum.server_tool_use, usage.server_tool_use),
    cache_creation: addCounters(sum.cache_creation, usage.cache_creation),
    ...((sum.output_tokens_details || usage.output_tokens_details) && {
      output_tokens_details: addCounters(sum.output_tokens_details, usage.output_tokens_details),
    }),
    service_tier: usage.service_tier ?? sum.service_tier,
    inference_geo: usage.inference_geo ?? sum.inference_geo,
    iterations: usage.iterations ?? sum.iterations,
    speed: usage.speed ?? sum.speed,
  };
}

function addCounters<T extends Record<string, number | undefined>>(
  a: T | null | undefined,
  b: T | null | undefined,
): T {
  const sum: Record<string, number | undefined> = { ...a };
  for (const [key, value] of Object.entries(b ?? {})) sum[key] = (sum[key] ?? 0) + (value ?? 0);
  return sum as T;
}
