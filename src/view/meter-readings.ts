import { isObject, type JsonObject, stringField } from '../util/json.ts';
import type { FilePatch } from './blocks.ts';
import { numberField, parentOf, sumOf } from './line-fields.ts';
import { changedLines } from './patches.ts';
import { inputOf, TokenCount } from './token-count.ts';
import type { Meters } from './view.ts';

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** The numbers of a session. */
export class MeterReadings {
  readonly meters: Mutable<Meters> = {
    contextTokens: 0,
    contextWindow: null,
    tokens: { in: 0, out: 0 },
    costUsd: 0,
    apiMs: 0,
    turnStartedAt: null,
    linesAdded: 0,
    linesRemoved: 0,
  };
  readonly #count = new TokenCount();
  /** The model of the main thread: its window is the one that fills. */
  #model = '';

  /** Takes any line of the agent. */
  note(line: JsonObject): void {
    this.#count.note(line);
    this.meters.tokens = this.#count.tokens;
    if (parentOf(line) !== null) return;
    const { type, message, event } = line;
    if (type === 'assistant') this.#noteContext(message);
    if (type === 'stream_event' && isObject(event) && event.type === 'message_start') this.#noteContext(event.message);
  }

  #noteContext(message: unknown): void {
    if (!isObject(message) || message.model === '<synthetic>' || !isObject(message.usage)) return;
    const used = inputOf(message.usage) + sumOf(message.usage, 'output_tokens');
    this.#model = stringField(message, 'model') ?? this.#model;
    if (used > 0) this.meters.contextTokens = used;
  }

  /** Takes the result of a turn. Returns what the turn has cost. */
  noteResult(line: JsonObject): number {
    const { meters } = this;
    const total = numberField(line, 'total_cost_usd') ?? meters.costUsd;
    const cost = sinceLast(line) ?? total - meters.costUsd;
    meters.costUsd = total;
    meters.apiMs = numberField(line, 'duration_api_ms') ?? meters.apiMs;
    if (!isObject(line.modelUsage)) return cost;
    const all = Object.values(line.modelUsage);
    const read = (usage: unknown) => sumOf(usage, 'inputTokens', 'cacheReadInputTokens', 'cacheCreationInputTokens');
    const tokens = {
      in: all.reduce((sum: number, usage) => sum + read(usage), 0),
      out: all.reduce((sum: number, usage) => sum + sumOf(usage, 'outputTokens'), 0),
    };
    this.#count.set(tokens);
    meters.tokens = tokens;
    const own = Object.hasOwn(line.modelUsage, this.#model) ? line.modelUsage[this.#model] : undefined;
    meters.contextWindow = numberField(own, 'contextWindow') ?? meters.contextWindow;
    return cost;
  }

  noteChange(data: unknown, patch: FilePatch | null): void {
    const { added, removed } = changedLines(data, patch);
    this.meters.linesAdded += added;
    this.meters.linesRemoved += removed;
  }

  beginTurn(now: number): void {
    this.meters.turnStartedAt ??= now;
  }

  endTurn(): void {
    this.meters.turnStartedAt = null;
  }
}

function sinceLast({ model_usage_since_last_result: used }: JsonObject): number | null {
  return isObject(used) ? Object.values(used).reduce((sum: number, each) => sum + sumOf(each, 'costUSD'), 0) : null;
}
