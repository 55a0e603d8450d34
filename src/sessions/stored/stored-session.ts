import { stringField } from '../../util/json.ts';
import { printable } from '../../util/text/printable.ts';
import type { Entry } from '../../wire/entries.ts';
import { HeddleError } from '../../wire/errors.ts';
import { readTranscript } from '../files/transcript-reader.ts';
import type { Loaded } from '../store.ts';
import { segmentTo } from '../tree/branch-path.ts';
import { buildTree, type Tree } from '../tree/build-tree.ts';
import { retainedOn } from '../tree/retained-segment.ts';
import type { TreeNode } from '../tree/tree.ts';

/** A session read from its file as a whole. */
export interface StoredSession {
  sessionId: string;
  path: string;
  tree: Tree;
  /** Everything in the file, in its order. */
  loaded: readonly Loaded[];
  /** The last one counts. */
  title: string | null;
  /** The last one counts; an empty one removes it. */
  tag: string | null;
  /** Summaries of branches, by the uuid of their leaf. */
  summaries: ReadonlyMap<string, string>;
  /** The directory in which it was started. */
  cwd: string | null;
  /** Its cost so far; null when the file does not contain it. */
  costUsd: number | null;
}

/** Reads a session. Rejects with `session_unreadable`. */
export async function readStoredSession(found: { sessionId: string; path: string }): Promise<StoredSession> {
  const loaded: Loaded[] = [];
  for await (const item of readTranscript(found.path)) loaded.push(item);
  return storedSession(found, loaded);
}

export function storedSession(
  { sessionId, path }: { sessionId: string; path: string },
  loaded: readonly Loaded[],
): StoredSession {
  const entries = loaded.flatMap((item) => ('entry' in item ? [item.entry] : []));
  const last = (type: string, field: string) => {
    const entry = entries.findLast((each) => each.type === type && stringField(each, field) !== undefined);
    return stringField(entry, field) || null;
  };
  return {
    sessionId,
    path,
    loaded,
    tree: buildTree(loaded),
    title: last('custom-title', 'customTitle'),
    tag: last('tag', 'tag'),
    summaries: new Map(entries.filter(({ type }) => type === 'summary').flatMap(leafSummary)),
    cwd:
      stringField(
        entries.find(({ cwd }) => typeof cwd === 'string'),
        'cwd',
      ) ?? null,
    costUsd: totalCost(entries),
  };
}

/**
 * A message by its uuid, by a unique prefix of it, or in a fork by the uuid of the original. Throws
 * `session_not_found`.
 */
export function findMessage({ tree, sessionId }: StoredSession, name: string): TreeNode {
  const nodes = [...tree.nodes.values()].filter((node) => !node.isSidechain);
  const exact = nodes.find(({ id, entry }) => id === name || stringField(entry.forkedFrom, 'messageUuid') === name);
  if (exact) return exact;
  const [first, second] = name.length < MIN_PREFIX ? [] : nodes.filter(({ id }) => id.startsWith(name));
  if (first && !second) return first;
  const what = first ? 'More than one message begins with' : 'There is no message';
  const short = name.length < MIN_PREFIX ? ` (the beginning of a uuid needs ${MIN_PREFIX} characters or more)` : '';
  const leaves = tree.leaves.map(({ id }) => id);
  const message = `${what} '${printable(name)}'${short} in session ${sessionId}. ${branchesText(leaves)}`;
  throw new HeddleError('session_not_found', message, { facts: { uuid: name, leaves } });
}

const MIN_PREFIX = 4;

function branchesText(leaves: readonly string[]): string {
  if (leaves.length === 0) return 'It has no messages.';
  const newest = leaves.slice(-SHOWN_LEAVES);
  const rest = leaves.length > newest.length ? ` and ${leaves.length - newest.length} more` : '';
  return `Its branches end in: ${newest.join(', ')}${rest}`;
}

/** A longer list would not help; the error's facts contain all. */
const SHOWN_LEAVES = 8;

/**
 * The entries from the very beginning to a message: messages that compactions replaced come before the summary, and
 * retained ones at their original position.
 */
export function wholeHistory(tree: Tree, leafUuid: string): Entry[] {
  const path = segmentTo(tree, leafUuid);
  const parts = [path];
  const seen = new Set<string>(); // a damaged file may contain a circle
  for (let before = replacedBy(tree, path); before !== undefined && !seen.has(before); ) {
    seen.add(before);
    const earlier = segmentTo(tree, before);
    parts.unshift(earlier);
    before = replacedBy(tree, earlier);
  }
  return parts.flat().map(({ entry }) => entry);
}

/** The end of the conversation that a compaction at the start of a path has replaced. */
function replacedBy(tree: Tree, path: readonly TreeNode[]): string | undefined {
  const stated = stringField(path[0]?.entry, 'logicalParentUuid');
  // The stated node may be lost with its line; the retained messages lead there as well.
  return stated !== undefined && !tree.nodes.has(stated) ? retainedOn(tree, path)?.nodes.at(-1)?.id : stated;
}

function leafSummary(entry: Entry): [string, string][] {
  const [leaf, summary] = [stringField(entry, 'leafUuid'), stringField(entry, 'summary')];
  return leaf !== undefined && summary ? [[leaf, summary]] : [];
}

function totalCost(entries: readonly Entry[]): number | null {
  const last = entries.findLast(({ type }) => type === 'cost-state')?.totalCostUSD;
  return typeof last === 'number' && last > 0 ? last : null;
}
