import { instantOf, isErrorAnswer, isPrompt } from '../entry-fields.ts';
import type { Step, Tree, TreeNode } from './tree.ts';

export interface LeafChoice {
  /** Null when the session contains no message. */
  leaf: TreeNode | null;
  /** The rule that decided: an explicit request, a record in the file, or the newest in the file. */
  rule: 'explicit' | 'recorded' | 'file_order';
  /** The leaf that the oldest rule (greatest timestamp) would have selected, when it is a different one. */
  byTimestamp: TreeNode | null;
}

/**
 * The message from which the conversation continues. An explicit uuid that is not in the tree falls back to the other
 * rules; callers for whom that is an error check first.
 */
export function activeLeaf(tree: Tree, explicit?: string): LeafChoice {
  const asked = explicit === undefined ? undefined : tree.nodes.get(explicit);
  if (asked) return { leaf: asked, rule: 'explicit', byTimestamp: null };
  if (tree.recordedLeaf) return { leaf: tree.recordedLeaf, rule: 'recorded', byTimestamp: null };
  const leaf = leafByFileOrder(tree);
  const latest = leafByTimestamp(tree);
  return { leaf, rule: 'file_order', byTimestamp: latest === leaf ? null : latest };
}

/** The end of the branch that was written to last. */
export function leafByFileOrder(tree: Tree): TreeNode | null {
  return best(tree.leaves.toReversed(), (leaf) => lastMessage(tree, leaf).index);
}

/** The end of the branch with the latest timestamp; among equals the one written last. */
export function leafByTimestamp(tree: Tree): TreeNode | null {
  const ends = tree.leaves.map((leaf) => ({ leaf, message: lastMessage(tree, leaf) }));
  const byFileOrder = ends.toReversed().sort((a, b) => b.message.index - a.message.index);
  return best(byFileOrder, ({ message }) => instantOf(message.entry))?.leaf ?? null;
}

/** The ends of all branches: one for each step that no message continues, in the order of the file. */
export function branchEnds(steps: ReadonlyMap<TreeNode, Step>): TreeNode[] {
  const ends: TreeNode[] = [];
  for (const step of new Set(steps.values())) {
    const end = step.continued ? null : endOf(step, steps);
    if (end !== null) ends.push(end);
  }
  return ends.sort((a, b) => a.index - b.index);
}

/**
 * The node to which the next message should be linked: the newest message of the step that has no other below it, and
 * then down along its attachments and progress. A step without a message is no end: it may be misplaced progress, or a
 * compaction boundary whose summary was never written.
 */
function endOf(step: Step, steps: ReadonlyMap<TreeNode, Step>): TreeNode | null {
  const held = new Set<TreeNode>();
  for (const node of step.members) if (isMessage(node) && node.parent) markAbove(node.parent, held);
  const message = best(
    step.members.filter((node) => isMessage(node) && !held.has(node)),
    (node) => node.index,
  );
  if (message === null) return null;
  let end = message;
  for (let next: TreeNode | undefined = message; next; ) {
    end = next;
    next = next.children.findLast((child) => steps.get(child) === step);
  }
  return end;
}

/** A message may be linked to another through progress entries. */
function markAbove(from: TreeNode, held: Set<TreeNode>): void {
  for (let node: TreeNode | null = from; node && !held.has(node); node = node.parent) {
    held.add(node);
    if (node.isMessage) return;
  }
}

function isMessage(node: TreeNode): boolean {
  return !node.isSidechain && node.isMessage;
}

/**
 * The newest message of a leaf's step; entries that are merely attached do not show when a branch was active. Neither
 * does an error instead of an answer to an old prompt, nor a call's second result, which a stray permission may add
 * days later: a branch that has only these is as old as its parent.
 */
function lastMessage(tree: Tree, leaf: TreeNode): TreeNode {
  for (let step = tree.steps.get(leaf); step; step = stepAbove(tree, step)) {
    const message = best(step.members.filter(isTelling), (node) => node.index);
    if (message !== null) return message;
  }
  return leaf;

  function isTelling(node: TreeNode): boolean {
    return isErrorAnswer(node.entry) ? isMessage(node) && !isLate(tree, node) : saysSomething(tree, node);
  }
}

/** A message that is neither an error nor a call's second result. */
function saysSomething(tree: Tree, node: TreeNode): boolean {
  if (!isMessage(node) || isErrorAnswer(node.entry)) return false;
  return node.answers.length === 0 || node.answers.some((id) => tree.results.get(id)?.[0] === node);
}

/** Whether the user has sent another prompt since the one that the node belongs to. */
function isLate(tree: Tree, { index, parent }: TreeNode): boolean {
  let about = parent;
  while (about && !saysSomething(tree, about)) about = about.parent;
  if (about === null) return false;
  for (const node of tree.nodes.values()) {
    if (node.index >= index) return false;
    if (node.index > about.index && !node.isSidechain && isPrompt(node.entry)) return true;
  }
  return false;
}

function stepAbove(tree: Tree, { members: [first] }: Step): Step | undefined {
  return first?.parent ? tree.steps.get(first.parent) : undefined;
}

/** The item with the greatest value; the first among equals. */
function best<T>(items: readonly T[], value: (item: T) => number): T | null {
  let found: T | null = null;
  let most = Number.NEGATIVE_INFINITY;
  for (const item of items) {
    const own = value(item);
    if (own <= most) continue;
    found = item;
    most = own;
  }
  return found;
}
