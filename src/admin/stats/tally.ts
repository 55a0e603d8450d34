import type { TokenCounts } from './answers.ts';
import type { Spent } from './booked-sums.ts';

export interface StatsRow extends TokenCounts {
  name: string;
  costUsd: number;
  turns: number;
  sessions: number;
  /** Calls of tools. */
  calls: number;
}

/** What an amount belongs to. */
export interface Counted {
  sessionId: string;
  /** A number that no other turn has; undefined where none is known. */
  turn: number | undefined;
}

/** Sums by name, such as those of each model. */
export class Tally {
  readonly #rows = new Map<string, Group>();

  add(name: string, { sessionId, turn }: Counted): Group {
    const group = this.#rows.get(name) ?? emptyGroup();
    this.#rows.set(name, group);
    group.sessions.add(sessionId);
    if (turn !== undefined) group.turns.add(turn);
    return group;
  }

  rows(): StatsRow[] {
    return [...this.#rows].map(([name, { sums, costUsd, turns, sessions, calls }]) => ({
      name,
      costUsd: Math.round(costUsd * 1e6) / 1e6,
      inputTokens: Math.round(sums.inputTokens),
      outputTokens: Math.round(sums.outputTokens),
      cacheReadTokens: Math.round(sums.cacheReadTokens),
      cacheWriteTokens: Math.round(sums.cacheWriteTokens),
      turns: turns.size,
      sessions: sessions.size,
      calls,
    }));
  }

  /** What costs most comes first; where nothing has a cost, what has used most tokens. */
  byCost(): StatsRow[] {
    return this.rows().sort((a, b) => b.costUsd - a.costUsd || tokensOf(b) - tokensOf(a) || (a.name < b.name ? -1 : 1));
  }
}

interface Group {
  sums: TokenCounts;
  costUsd: number;
  turns: Set<number>;
  sessions: Set<string>;
  calls: number;
}

function emptyGroup(): Group {
  const sums = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
  return { sums, costUsd: 0, turns: new Set(), sessions: new Set(), calls: 0 };
}

export function book(group: Group, { tokens, costUsd }: Pick<Spent, 'tokens' | 'costUsd'>): void {
  group.costUsd += costUsd;
  group.sums.inputTokens += tokens.inputTokens;
  group.sums.outputTokens += tokens.outputTokens;
  group.sums.cacheReadTokens += tokens.cacheReadTokens;
  group.sums.cacheWriteTokens += tokens.cacheWriteTokens;
}

export function tokensOf(row: TokenCounts): number {
  return row.inputTokens + row.cacheReadTokens + row.cacheWriteTokens + row.outputTokens;
}
