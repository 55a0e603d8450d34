import type { LedgerState } from '../agent/ledger.ts';
import type { ApiMessage } from '../model/model.ts';
import { lineage } from '../sessions/file-history.ts';
import { type UnpairedCall, unpairedToolCalls } from '../sessions/repair.ts';
import { toApiMessages } from '../sessions/replay.ts';
import type { Loaded, SessionKey, SessionStore } from '../sessions/store.ts';
import { activeLeaf, pathTo, readTree, type Tree } from '../sessions/tree.ts';
import { isObject, type JsonObject, stringField } from '../util/json.ts';
import type { Logger } from '../util/runtime.ts';
import type { Entry } from '../wire/entries.ts';
import { HeddleError } from '../wire/errors.ts';
import type { PastCheckpoints } from './checkpoints.ts';

/** What a stored session holds that a new process needs to go on. */
export interface Past {
  path: Entry[];
  /** The uuids of the conversation: a message that carries one of them is no new message. */
  uuids: string[];
  /** Where the conversation goes on. */
  leaf: string | null;
  costState: LedgerState | null;
  /** The environment reminder that the model has already seen. */
  lastReminder: string | null;
  lastTokens: number;
  planName: string | null;
  /** Calls without a result. */
  unpaired: UnpairedCall[];
  checkpoints: PastCheckpoints;
  /** The permission mode that was last changed to; null when it never was. */
  lastMode: string | null;
  /** The conversation from its very beginning, what compactions have replaced included. */
  history(): ApiMessage[];
  /** The conversation, with what was appended to the path since. */
  messages(appended: readonly Entry[]): ApiMessage[];
}

/** Reads a session up to its active leaf, or to the message that was asked for. */
export async function readPast(
  store: SessionStore,
  key: SessionKey,
  { at, log }: { at: string | undefined; log: Logger },
): Promise<Past> {
  const costs = new LastCost();
  const snapshots: Entry[] = [];
  const modes: Entry[] = [];
  const loaded = collect('mode', collect('file-history-snapshot', costs.watch(store.load(key)), snapshots), modes);
  const tree = await readTree(loaded);
  reportFindings(log, tree, key);
  if (at !== undefined && !tree.nodes.has(at)) {
    throw new HeddleError('session_not_found', `No message found with message.uuid of: ${at}`, { facts: { uuid: at } });
  }
  const { leaf } = activeLeaf(tree, at);
  const path = leaf ? pathTo(tree, leaf.id) : [];
  return {
    path,
    uuids: path.flatMap(({ uuid }) => (typeof uuid === 'string' ? [uuid] : [])),
    leaf: leaf ? (stringField(leaf.entry, 'uuid') ?? null) : null,
    costState: costs.state,
    lastReminder: lastReminder(path),
    lastTokens: lastTokens(path),
    planName:
      stringField(
        path.findLast((entry) => typeof entry.slug === 'string'),
        'slug',
      ) ?? null,
    unpaired: unpairedToolCalls(path),
    checkpoints: {
      sessionId: key.sessionId,
      entries: snapshots,
      messages: leaf && snapshots.length > 0 ? lineage(tree, leaf.id) : [],
    },
    lastMode: stringField(modes.at(-1), 'mode') ?? null,
    history: () => toApiMessages(historyOf(tree, path)),
    messages: (appended) => toApiMessages([...path, ...appended]),
  };
}

/** Entries that are no nodes of the tree are set aside as they come by. */
async function* collect(type: string, loaded: AsyncIterable<Loaded>, found: Entry[]): AsyncGenerator<Loaded, void> {
  for await (const item of loaded) {
    if ('entry' in item && item.entry.type === type) found.push(item.entry);
    yield item;
  }
}

/** The path, and before it what its compactions stand for. */
function historyOf(tree: Tree, path: readonly Entry[]): Entry[] {
  const parts = [path];
  for (let first = path[0]; first; ) {
    const before = stringField(first, 'logicalParentUuid');
    const earlier = before !== undefined && tree.nodes.has(before) ? pathTo(tree, before) : [];
    parts.unshift(earlier);
    first = parts.length > MAX_COMPACTIONS ? undefined : earlier[0];
  }
  return parts.flat();
}

/** A damaged file may go round in circles. */
const MAX_COMPACTIONS = 10_000;

/** Looks out for the cost entries of a session while it is read; the last one counts. */
class LastCost {
  state: LedgerState | null = null;

  async *watch(loaded: AsyncIterable<Loaded>): AsyncGenerator<Loaded, void> {
    for await (const item of loaded) {
      if ('entry' in item && item.entry.type === 'cost-state') this.#take(item.entry);
      yield item;
    }
  }

  #take({ modelUsage, totalAPIDuration }: Entry): void {
    if (!isObject(modelUsage)) return;
    const usage = Object.fromEntries(
      Object.entries(modelUsage).flatMap(([model, counts]) => (isObject(counts) ? [[model, numbersIn(counts)]] : [])),
    );
    this.state = {
      modelUsage: usage,
      apiMs: typeof totalAPIDuration === 'number' ? totalAPIDuration : 0,
    };
  }
}

/** Of the last answer on the path, as far as its entry tells. */
function lastTokens(path: readonly Entry[]): number {
  const answer = path.findLast(({ type, isApiErrorMessage }) => type === 'assistant' && isApiErrorMessage !== true);
  const usage = isObject(answer?.message) && isObject(answer.message.usage) ? answer.message.usage : {};
  const counts = ['input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens', 'output_tokens'];
  return counts.reduce((sum, name) => sum + (typeof usage[name] === 'number' ? usage[name] : 0), 0);
}

/** Damage is repaired for this run and said aloud; the file itself stays as it is. */
function reportFindings(log: Logger, tree: Tree, { sessionId }: SessionKey): void {
  if (tree.findings.length === 0) return;
  const kinds = [...new Set(tree.findings.map((finding) => finding.kind))].join(', ');
  log(
    'warn',
    `Session ${sessionId} has ${tree.findings.length} damaged places (${kinds}); what could be read was restored`,
    {
      findings: tree.findings.slice(0, 20),
    },
  );
}

function lastReminder(path: readonly Entry[]): string | null {
  const entry = path.findLast(
    ({ type, attachment }) => type === 'attachment' && isObject(attachment) && attachment.type === 'environment',
  );
  return stringField(entry?.attachment, 'content') ?? null;
}

/** A damaged file must not spoil the sums: only what is a number counts. */
function numbersIn(counts: JsonObject): Record<string, number> {
  const numbers = Object.entries(counts).filter(
    (entry): entry is [string, number] => Number.isFinite(entry[1]) && Number(entry[1]) >= 0,
  );
  return Object.fromEntries(numbers);
}
