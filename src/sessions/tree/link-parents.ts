import { stringField } from '../../util/json.ts';
import type { Finding, TreeNode } from './tree.ts';
import { isBelow, nodesByCall } from './tree-nodes.ts';

/**
 * Gives every node its parent, so that the nodes are a forest: each walk towards the root ends. A parent that is not in
 * the file, or that would close a circle, is replaced by the entry before it in the file, because the lost link nearly
 * always meant that one. Only `node.parent` is set.
 */
export function linkParents(nodes: readonly TreeNode[], byId: ReadonlyMap<string, TreeNode>): Finding[] {
  const unlinked = new Map<TreeNode, Repair>();
  let before: TreeNode | undefined;
  for (const node of nodes) {
    const parent = followsUnnamed(node, before) ? before : statedParent(node, byId);
    if (parent === undefined) unlinked.set(node, 'missing_parent');
    else node.parent = parent;
    if (HOLDERS.has(node.entry.type) && !node.isSidechain) before = node;
  }
  for (const node of cycleStarts(nodes)) {
    node.parent = null;
    unlinked.set(node, 'cycle');
  }
  const relinked = unlinked.size === 0 ? [] : linkByFileOrder(nodes, byId, unlinked);
  return [...relinked, ...linkToCalls(nodes)];
}

type Repair = Extract<Finding, { linkedTo: unknown }>['kind'];

const CHAIN_TYPES = new Set(['user', 'assistant', 'system', 'progress', 'attachment']);

/** The parent that the entry states: a node, null for a root, undefined when there is no such node. */
function statedParent(node: TreeNode, byId: ReadonlyMap<string, TreeNode>): TreeNode | null | undefined {
  const { parentUuid, type } = node.entry;
  if (parentUuid === null) return null;
  if (typeof parentUuid !== 'string') return CHAIN_TYPES.has(type) ? undefined : null;
  const parent = byId.get(parentUuid);
  // No path leads from a subagent's entry back into the conversation.
  return parent?.isSidechain && !node.isSidechain ? undefined : parent;
}

/** An entry that continues an old file cannot name its parent: the messages there have no uuids. */
function followsUnnamed(node: TreeNode, before: TreeNode | undefined): boolean {
  const { parentUuid, type, logicalParentUuid } = node.entry;
  if (!before || hasName(before) || node.isSidechain) return false;
  return parentUuid === null && CHAIN_TYPES.has(type) && logicalParentUuid === undefined;
}

/** The first node, in the order of the file, of each circle. */
function cycleStarts(nodes: readonly TreeNode[]): TreeNode[] {
  const starts: TreeNode[] = [];
  const walkOf: (number | undefined)[] = [];
  for (const [walk, from] of nodes.entries()) {
    let node: TreeNode | null = from;
    while (node !== null && walkOf[node.index] === undefined) {
      walkOf[node.index] = walk;
      node = node.parent;
    }
    if (node !== null && walkOf[node.index] === walk) starts.push(firstInCircle(node));
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
  unlinked: ReadonlyMap<TreeNode, Repair>,
): Finding[] {
  const findings: Finding[] = [];
  const roots = new Roots();
  const lanes = new Map<string, TreeNode[]>();
  for (const node of nodes) {
    const lane = laneOf(lanes, node);
    const kind = unlinked.get(node);
    if (kind !== undefined) {
      // A candidate whose root is the node itself is already below it.
      const canHold = (candidate: TreeNode) => roots.of(candidate) !== node;
      node.parent = callerOf(node, byId, canHold) ?? lane.findLast(canHold) ?? null;
      if (hasName(node)) findings.push(finding(kind, node));
    }
    if (HOLDERS.has(node.entry.type)) lane.push(node);
  }
  return findings;
}

/**
 * The kinds to which an orphan may be linked. Not progress, which may itself be linked anywhere, and not system
 * entries: below a compaction boundary whose summary is lost there is no history at all.
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

/** An old file's messages have no uuids; linking them in order is not a repair. */
function hasName({ id, entry }: TreeNode): boolean {
  return entry.uuid === id;
}

function finding(kind: Repair, node: TreeNode): Finding {
  const parentUuid = stringField(node.entry, 'parentUuid') ?? null;
  return { kind, line: node.line, uuid: node.id, parentUuid, linkedTo: node.parent?.id ?? null };
}

/**
 * Relinks results without their call above them: from there the conversation could not be reconstructed. Among several
 * calls with the same id, the order of the file decides.
 */
function linkToCalls(nodes: readonly TreeNode[]): Finding[] {
  const apart = nodes.filter(({ answers, parent }) => answers.length > 0 && !callsOneOf(answers, parent));
  if (apart.length === 0) return [];
  const findings: Finding[] = [];
  const callers = nodesByCall(nodes, 'calls');
  for (const node of apart) {
    const candidates = node.answers.flatMap((id) => callers.get(id) ?? []);
    if (candidates.length === 0 || isBelowAnswer(node, candidates)) continue;
    const caller = candidates.findLast(({ index }) => index < node.index) ?? candidates[0];
    if (!caller || caller.isSidechain !== node.isSidechain || isBelow(caller, node)) continue;
    node.parent = caller;
    findings.push(finding('misplaced_result', node));
  }
  return findings;
}

function callsOneOf(ids: readonly string[], node: TreeNode | null): boolean {
  return node?.calls.some((id) => ids.includes(id)) ?? false;
}

/** Whether one of the calls is above, or another block of its answer: parallel results may be linked to each other. */
function isBelowAnswer(node: TreeNode, callers: readonly TreeNode[]): boolean {
  const own = new Set(callers);
  const answers = new Set(callers.map(({ answer }) => answer));
  for (let above = node.parent; above !== null; above = above.parent) {
    if (own.has(above)) return true;
    if (above.answer !== null && answers.has(above.answer)) return true;
  }
  return false;
}

function laneOf(lanes: Map<string, TreeNode[]>, node: TreeNode): TreeNode[] {
  const name = node.isSidechain ? `side ${stringField(node.entry, 'agentId') ?? ''}` : 'main';
  const lane = lanes.get(name) ?? [];
  lanes.set(name, lane);
  return lane;
}

/** Finds the root above a node, in nearly constant time even when thousands of orphans are linked one by one. */
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

  /** A cached shortcut may be older than the link above it; it still lies on the way up. */
  #next(node: TreeNode): TreeNode | null {
    return this.#above.get(node) ?? node.parent;
  }
}
