import { stringField } from '../util/json.ts';
import type { Finding, TreeNode } from './tree-model.ts';

/**
 * Gives every node its parent, so that the nodes are a forest: each walk towards the root ends. A parent that is not in
 * the file, or that would close a circle, is replaced by what stands before the entry in the file, because that is
 * nearly always what the lost link meant (ruling K15). Only `node.parent` is set.
 */
export function linkParents(nodes: readonly TreeNode[], byId: ReadonlyMap<string, TreeNode>): Finding[] {
  const unlinked = new Map<TreeNode, 'missing_parent' | 'cycle'>();
  for (const node of nodes) {
    const parent = statedParent(node, byId);
    if (parent === undefined) unlinked.set(node, 'missing_parent');
    else node.parent = parent;
  }
  for (const node of cycleStarts(nodes)) {
    node.parent = null;
    unlinked.set(node, 'cycle');
  }
  return unlinked.size === 0 ? [] : linkByFileOrder(nodes, byId, unlinked);
}

const CHAIN_TYPES = new Set(['user', 'assistant', 'system', 'progress', 'attachment']);

/** What the entry says its parent is: a node, null for a root, undefined when there is no such node. */
function statedParent({ entry }: TreeNode, byId: ReadonlyMap<string, TreeNode>): TreeNode | null | undefined {
  const { parentUuid } = entry;
  if (parentUuid === null) return null;
  if (typeof parentUuid === 'string') return byId.get(parentUuid);
  return CHAIN_TYPES.has(entry.type) ? undefined : null;
}

/** The first node, in the order of the file, of each circle. */
function cycleStarts(nodes: readonly TreeNode[]): TreeNode[] {
  const starts: TreeNode[] = [];
  const walkOf = new Map<TreeNode, number>();
  for (const [walk, from] of nodes.entries()) {
    let node: TreeNode | null = from;
    while (node !== null && !walkOf.has(node)) {
      walkOf.set(node, walk);
      node = node.parent;
    }
    if (node !== null && walkOf.get(node) === walk) starts.push(firstInCircle(node));
  }
  return starts;
}

function firstInCircle(member: TreeNode): TreeNode {
  let first = member;
  for (let node = member.parent; node !== null && node !== member; node = node.parent) {
    if (node.index < first.index) first = node;
  }
  return first;
}

function linkByFileOrder(
  nodes: readonly TreeNode[],
  byId: ReadonlyMap<string, TreeNode>,
  unlinked: ReadonlyMap<TreeNode, 'missing_parent' | 'cycle'>,
): Finding[] {
  const findings: Finding[] = [];
  const roots = new Roots();
  const lanes = new Map<string, TreeNode[]>();
  for (const node of nodes) {
    const lane = laneOf(lanes, node);
    const kind = unlinked.get(node);
    if (kind !== undefined) {
      // A candidate whose root is the node itself hangs below it already.
      const canHold = (candidate: TreeNode) => roots.of(candidate) !== node;
      node.parent = callerOf(node, byId, canHold) ?? lane.findLast(canHold) ?? null;
      if (isRepair(node)) findings.push(finding(kind, node));
    }
    if (HOLDERS.has(node.entry.type)) lane.push(node);
  }
  return findings;
}

/**
 * What an orphan may be hung from. Not progress, which may itself hang anywhere, and not system entries: below a
 * compaction boundary whose summary is lost there is no history at all.
 */
const HOLDERS = new Set(['user', 'assistant', 'attachment']);

/** A tool result names the assistant entry that made the call. */
function callerOf(
  { entry }: TreeNode,
  byId: ReadonlyMap<string, TreeNode>,
  canHold: (candidate: TreeNode) => boolean,
): TreeNode | undefined {
  const caller = byId.get(stringField(entry, 'sourceToolAssistantUUID') ?? '');
  return caller && canHold(caller) ? caller : undefined;
}

/** An old file's messages have no uuids at all; that they follow each other is no repair. */
function isRepair({ entry }: TreeNode): boolean {
  return typeof entry.uuid === 'string';
}

function finding(kind: 'missing_parent' | 'cycle', node: TreeNode): Finding {
  const parentUuid = stringField(node.entry, 'parentUuid') ?? null;
  return { kind, line: node.line, uuid: node.id, parentUuid, linkedTo: node.parent?.id ?? null };
}

function laneOf(lanes: Map<string, TreeNode[]>, node: TreeNode): TreeNode[] {
  const name = node.isSidechain ? `side ${stringField(node.entry, 'agentId') ?? ''}` : 'main';
  const lane = lanes.get(name) ?? [];
  lanes.set(name, lane);
  return lane;
}

/** Finds the root above a node, in nearly constant time also when thousands of orphans are linked one by one. */
class Roots {
  readonly #above = new Map<TreeNode, TreeNode>();

  of(node: TreeNode): TreeNode {
    let root = node;
    for (let above = this.#next(root); above !== null; above = this.#next(root)) root = above;
    for (let step = node; step !== root; ) {
      const above: TreeNode = this.#next(step) ?? root;
      this.#above.set(step, root);
      step = above;
    }
    return root;
  }

  /** A remembered shortcut may be older than the link above it; it still lies on the way up. */
  #next(node: TreeNode): TreeNode | null {
    return this.#above.get(node) ?? node.parent;
  }
}
