import { stringField } from '../../util/json.ts';
import type { Entry } from '../../wire/entries.ts';
import { answeredIds, answerKey, callIds, isConversation } from '../entry-fields.ts';
import type { Loaded } from '../store.ts';
import { branchEnds } from './active-leaf.ts';
import { nodesTo } from './branch-path.ts';
import { groupSteps } from './group-steps.ts';
import { linkParents } from './link-parents.ts';
import { findRetained } from './retained-segment.ts';
import type { Finding, RetainedSegment, Tree, TreeNode } from './tree.ts';
import { nodesByCall } from './tree-nodes.ts';

export { activeLeaf, leafByFileOrder, leafByTimestamp } from './active-leaf.ts';
export { pathTo } from './branch-path.ts';
export type { Tree } from './tree.ts';

/** Builds the tree of a transcript. Never throws: damage is repaired or left out, and listed in `findings`. */
export function buildTree(loaded: Iterable<Loaded>): Tree {
  const { found, records, findings } = collect(loaded);
  const nodes = toNodes(found);
  const list = [...nodes.values()];
  for (const repaired of linkParents(list, nodes)) findings.push(repaired);
  for (const node of list) node.parent?.children.push(node);
  const steps = groupSteps(list);
  const retained = new Map<TreeNode, RetainedSegment>();
  let results: Map<string, TreeNode[]> | undefined;
  const tree: Tree = {
    nodes,
    roots: list.filter((node) => node.parent === null),
    leaves: branchEnds(steps),
    recordedLeaf: lastRecorded(records, list, nodes),
    findings,
    steps,
    // An undamaged conversation never needs them.
    get results() {
      results ??= nodesByCall(list, 'answers');
      return results;
    },
    retained,
  };
  for (const lost of findRetained({ nodes, retained }, (uuid) => nodesTo(tree, uuid))) findings.push(lost);
  findings.sort((a, b) => a.line - b.line);
  return tree;
}

/** The tree of a stored session. */
export async function readTree(loaded: AsyncIterable<Loaded>): Promise<Tree> {
  const all: Loaded[] = [];
  for await (const item of loaded) all.push(item);
  return buildTree(all);
}

interface ParsedEntry {
  entry: Entry;
  line: number;
}

interface LeafRecord {
  uuid: string;
  line: number;
}

function collect(loaded: Iterable<Loaded>) {
  const found = new Map<string, ParsedEntry>();
  const findings: Finding[] = [];
  const records: LeafRecord[] = [];
  const unnamed: number[] = [];
  for (const item of loaded) {
    if ('damage' in item) {
      findings.push({ kind: 'damage', ...item.damage });
      continue;
    }
    const { entry, line } = item;
    const uuid = stringField(entry, 'uuid') || undefined;
    if (uuid === undefined && entry.type === 'last-prompt') {
      const leaf = stringField(entry, 'leafUuid');
      if (leaf !== undefined) records.push({ uuid: leaf, line });
    }
    if (uuid === undefined && !isConversation(entry)) continue;
    if (uuid === undefined) unnamed.push(line);
    const id = uuid ?? `line:${line}`;
    if (found.has(id)) findings.push({ kind: 'duplicate', line, uuid: id });
    else found.set(id, item);
  }
  if (unnamed[0] !== undefined) findings.push({ kind: 'no_uuid', line: unnamed[0], count: unnamed.length });
  return { found, records, findings };
}

/** In the order of the file. */
function toNodes(found: ReadonlyMap<string, ParsedEntry>): Map<string, TreeNode> {
  // A subagent's own file has only sidechain entries: there they are the conversation.
  const isMain = (entry: Entry) => entry.isSidechain === false || (entry.isSidechain !== true && isConversation(entry));
  const hasMain = some(found.values(), ({ entry }) => isMain(entry));
  const nodes = new Map<string, TreeNode>();
  for (const [id, { entry, line }] of found) {
    nodes.set(id, {
      id,
      entry,
      line,
      index: nodes.size,
      isSidechain: hasMain && entry.isSidechain === true,
      isMessage: isConversation(entry),
      answer: entry.type === 'assistant' ? answerKey(entry) : null,
      calls: callIds(entry),
      answers: answeredIds(entry),
      parent: null,
      children: [],
    });
  }
  return nodes;
}

/** Without an intermediate list: nearly always the first one decides. */
function some<T>(items: Iterable<T>, is: (item: T) => boolean): boolean {
  for (const item of items) if (is(item)) return true;
  return false;
}

function lastRecorded(
  records: readonly LeafRecord[],
  nodes: readonly TreeNode[],
  byId: ReadonlyMap<string, TreeNode>,
): TreeNode | null {
  const record = records.at(-1);
  const leaf = record && byId.get(record.uuid);
  if (!record || !leaf || leaf.isSidechain) return null;
  const newest = nodes.findLast((node) => !node.isSidechain && node.isMessage);
  return newest && newest.line > record.line ? null : leaf;
}
