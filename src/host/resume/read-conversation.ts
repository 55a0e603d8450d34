import type { LedgerState } from '../../agent/ledger.ts';
import { answeredIds, callIds } from '../../sessions/entry-fields.ts';
import { type PlainSession, plainRecent, plainSession } from '../../sessions/replay/plain-conversation.ts';
import type { Loaded, RecentPart, SessionKey, SessionStore } from '../../sessions/store.ts';
import { buildTree, type Tree } from '../../sessions/tree/build-tree.ts';
import { isDeferral } from '../../sessions/tree/deferred-calls.ts';
import { isObject, type JsonObject, stringField } from '../../util/json.ts';
import type { Entry } from '../../wire/entries.ts';

/** A stored session: its tree, and the entries outside of the tree. */
export interface StoredConversation {
  tree: Tree;
  /** Set when the tree is known to be a single line, so that it need not be built. */
  plain: PlainSession | null;
  costState: LedgerState | null;
  /** The last permission mode that was set; null: none was. */
  lastMode: string | null;
  /** The last title; null: none. */
  title: string | null;
  /** The entries with file checkpoints. */
  snapshots: Entry[];
}

export interface ReadOptions {
  /** Leaves out the tool results for the host: they can be most of a file, and the model never sees them. */
  lean: boolean;
}

/** Reads a whole session. */
export async function readWhole(
  store: SessionStore,
  key: SessionKey,
  { lean }: ReadOptions,
): Promise<StoredConversation> {
  const loaded: Loaded[] = [];
  for await (const item of store.load(key)) {
    // Done right after parsing, and without a change of the object's shape: short-lived objects are cheap.
    if (lean && 'entry' in item && item.entry.toolUseResult !== undefined && !isDeferral(item.entry)) {
      item.entry.toolUseResult = undefined;
    }
    loaded.push(item);
  }
  const { costState, mode, title, snapshots } = asidesIn(loaded);
  const named = { lastMode: modeOf(mode), title: titleOf(title) };
  return conversation(loaded, { plain: plainSession(loaded), costState, ...named, snapshots });
}

function conversation(loaded: readonly Loaded[], rest: Omit<StoredConversation, 'tree'>): StoredConversation {
  let tree: Tree | undefined;
  return {
    ...rest,
    get tree() {
      tree ??= buildTree(loaded);
      return tree;
    },
  };
}

/**
 * Reads a session from its last compaction on, without its file checkpoints. Null: the whole file might give another
 * conversation.
 */
export async function readRecent(
  store: SessionStore,
  key: SessionKey,
  at: string | undefined,
): Promise<{ conversation: StoredConversation; part: RecentPart } | null> {
  const part = (await store.loadRecent?.(key)) ?? null;
  if (part === null) return null;
  const { loaded } = part;
  // A plain conversation is complete: every parent and every call is in it, and no entry names another leaf.
  const plain = at === undefined ? plainRecent(loaded) : null;
  if (!plain) {
    const tree = buildTree(loaded);
    if (!standsAlone(tree, loaded) || (at !== undefined && !tree.nodes.has(at))) return null;
  }
  const asides = asidesIn(loaded);
  const missing = [
    ...(asides.costState ? [] : ['cost-state']),
    ...(asides.mode ? [] : ['mode']),
    ...(asides.title ? [] : ['custom-title']),
  ];
  const earlier = missing.length > 0 ? await part.lastBefore(missing) : new Map<string, Entry>();
  const earlierCost = earlier.get('cost-state');
  const costState = earlierCost ? ledgerStateOf(earlierCost) : asides.costState;
  // An invalid boundary: the one before it counts.
  if (earlierCost !== undefined && costState === null) return null;
  const mode = asides.mode ?? earlier.get('mode') ?? null;
  const title = titleOf(asides.title ?? earlier.get('custom-title') ?? null);
  return {
    conversation: conversation(loaded, { plain, costState, lastMode: modeOf(mode), title, snapshots: [] }),
    part,
  };
}

/**
 * Whether nothing before the boundary can matter: the entries are undamaged, every parent and every call is here, and
 * so are the leaves that were recorded as active. Messages after the boundary outweigh leaf marks before it.
 */
function standsAlone(tree: Tree, loaded: readonly Loaded[]): boolean {
  if (tree.findings.length > 0 || tree.leaves.length === 0) return false;
  const [boundary] = tree.nodes.values();
  if (typeof boundary?.entry.logicalParentUuid !== 'string') return false;
  const calls = new Set([...tree.nodes.values()].flatMap(({ entry }) => callIds(entry)));
  return loaded.every((item) => {
    if (!('entry' in item)) return false;
    const recorded = item.entry.type === 'last-prompt' ? stringField(item.entry, 'leafUuid') : undefined;
    if (recorded !== undefined && !tree.nodes.has(recorded)) return false;
    return answeredIds(item.entry).every((id) => calls.has(id));
  });
}

interface Asides {
  costState: LedgerState | null;
  mode: Entry | null;
  title: Entry | null;
  snapshots: Entry[];
}

/** The last entry of each kind counts. */
function asidesIn(loaded: readonly Loaded[]): Asides {
  const asides: Asides = { costState: null, mode: null, title: null, snapshots: [] };
  for (const item of loaded) {
    if (!('entry' in item)) continue;
    const { entry } = item;
    if (entry.type === 'cost-state') asides.costState = ledgerStateOf(entry) ?? asides.costState;
    if (entry.type === 'mode') asides.mode = entry;
    if (entry.type === 'custom-title') asides.title = entry;
    if (entry.type === 'file-history-snapshot') asides.snapshots.push(entry);
  }
  return asides;
}

function modeOf(entry: Entry | null): string | null {
  return stringField(entry, 'mode') ?? null;
}

function titleOf(entry: Entry | null): string | null {
  return stringField(entry, 'customTitle') ?? null;
}

function ledgerStateOf({ modelUsage, totalAPIDuration }: Entry): LedgerState | null {
  if (!isObject(modelUsage)) return null;
  const usage = Object.entries(modelUsage).flatMap(([model, counts]) =>
    isObject(counts) ? [[model, numbersIn(counts)]] : [],
  );
  return {
    modelUsage: Object.fromEntries(usage),
    apiMs: typeof totalAPIDuration === 'number' ? totalAPIDuration : 0,
  };
}

/** Only numbers are added up, so that a damaged file cannot spoil the sums. */
function numbersIn(counts: JsonObject): Record<string, number> {
  const numbers = Object.entries(counts).filter(
    (entry): entry is [string, number] => Number.isFinite(entry[1]) && Number(entry[1]) >= 0,
  );
  return Object.fromEntries(numbers);
}
