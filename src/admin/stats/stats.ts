import { basename, dirname } from 'node:path';
import { isKnownModel } from '../../model/pricing.ts';
import { sessionFiles } from '../../sessions/files/session-files.ts';
import { messageOf } from '../../util/message-of.ts';
import type { Logger } from '../../util/runtime.ts';
import { readSpending, type Spending } from './read-spending.ts';
import { book, type StatsRow, Tally, tokensOf } from './tally.ts';

export type { StatsRow } from './tally.ts';

export interface StatsOptions {
  /** The config home. */
  home: string;
  /** The real path of a working directory; without it, all projects. */
  project?: string;
  /** Milliseconds since the epoch; what was before does not count. */
  since: number;
  log: Logger;
}

export interface Stats {
  total: Omit<StatsRow, 'name'>;
  /** The oldest first. */
  days: StatsRow[];
  models: StatsRow[];
  projects: StatsRow[];
  /** Costs and tokens are those of the answers that call the tool. */
  tools: StatsRow[];
  /** Models that no price is known for: what they cost is missing in all sums. */
  unpriced: string[];
}

/** Sums up what the sessions of a home have spent. A session that cannot be read is reported, and left out. */
export async function viewStats({ home, project, since, log }: StatsOptions): Promise<Stats> {
  const all = sessionFiles(home);
  const chosen = project === undefined ? all : sessionFiles(home, project);
  const before = { seen: new Set<string>(), sessionIds: new Set(all.map(({ sessionId }) => sessionId)) };
  const sums = new StatsSums(since);
  // The oldest first: where a later file has copies of an earlier one, they count for the earlier one.
  for (const file of chosen.filter(({ lastModified }) => lastModified >= since).reverse()) {
    try {
      sums.add(file, await readSpending(file, before));
    } catch (error) {
      log('warn', `left out: ${messageOf(error)}`);
    }
  }
  return sums.stats();
}

class StatsSums {
  readonly #since: number;
  readonly #total = new Tally();
  readonly #days = new Tally();
  readonly #models = new Tally();
  readonly #projects = new Tally();
  readonly #tools = new Tally();
  #turns = 0;

  constructor(since: number) {
    this.#since = since;
  }

  add({ sessionId, path }: { sessionId: string; path: string }, { cwd, turns, amounts, calls }: Spending): void {
    const project = cwd ?? basename(dirname(path));
    const first = this.#turns;
    this.#turns += turns.length;
    const turnAt = (at: number) => {
      const place = turns.findLastIndex((begun) => begun <= at);
      return place < 0 ? undefined : first + place;
    };
    // A turn counts on the day of its prompt, also when its answers come after midnight.
    const general = (at: number, turn?: number) => {
      const counted = { sessionId, turn };
      return [this.#total.add('', counted), this.#days.add(dayOf(at), counted), this.#projects.add(project, counted)];
    };
    for (const [place, at] of turns.entries()) if (at >= this.#since) general(at, first + place);
    for (const amount of amounts) {
      if (amount.at < this.#since) continue;
      const model = this.#models.add(amount.model, { sessionId, turn: turnAt(amount.at) });
      for (const group of [...general(amount.at), model]) book(group, amount);
    }
    for (const call of calls) {
      if (call.at < this.#since) continue;
      const counted = { sessionId, turn: turnAt(call.at) };
      const tool = this.#tools.add(call.tool, counted);
      book(tool, call);
      for (const group of [...general(call.at), this.#models.add(call.model, counted), tool]) group.calls++;
    }
  }

  stats(): Stats {
    const models = this.#models.byCost();
    const isUnpriced = (row: StatsRow) => row.costUsd === 0 && tokensOf(row) > 0 && !isKnownModel(row.name);
    const [{ name: _, ...total } = { name: '', ...NOTHING }] = this.#total.rows();
    return {
      total,
      days: this.#days.rows().sort((a, b) => (a.name < b.name ? -1 : 1)),
      models,
      projects: this.#projects.byCost(),
      tools: this.#tools.byCost(),
      unpriced: models.filter(isUnpriced).map(({ name }) => name),
    };
  }
}

const NOTHING = {
  costUsd: 0,
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  turns: 0,
  sessions: 0,
  calls: 0,
};

/** The day where the user is. */
function dayOf(at: number): string {
  if (at === 0) return 'unknown';
  const date = new Date(at);
  const two = (number: number) => String(number).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
