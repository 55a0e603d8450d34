import { instantOf, isErrorAnswer, isPrompt } from './entry-fields.ts';
import type { Step, Tree, TreeNode } from './tree-model.ts';

export interface LeafChoice {
  /** Null when the session holds no message. */
  leaf: TreeNode | null;
  /** Which rule decided: asked for, recorded in the file, or the newest in the file. */
  rule: 'explicit' | 'recorded' | 'file_order';
  /** The leaf that the oldest rule (greatest timestamp) would have taken, when it is another one. */
  byTimestamp: TreeNode | null;
}

/**
 * Where the conversation goes on (ruling K21). An explicit uuid that is not in the tree falls back to the other rules
 * [SES-14]; callers for whom that is an error look first.
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

/** The end of the branch with the latest timestamp; among equals the one written last [SES-13, SES-33]. */
export function leafByTimestamp(tree: Tree): TreeNode | null {
  const ends = tree.leaves.map((leaf) => ({ leaf, message: lastMessage(tree, leaf) }));
  const byFileOrder = ends.toReversed().sort((a, b) => b.message.index - a.message.index);
  return best(byFileOrder, ({ message }) => instantOf(message.entry))?.leaf ?? null;
}

/** The ends of all branches: one for each step that no message goes on from, in the order of the file. */
export function branchEnds(steps: ReadonlyMap<TreeNode, Step>): TreeNode[] {
  const ends: TreeNode[] = [];
  for (const step of new Set(steps.values())) {
    const end = step.continued ? null : endOf(step, steps);
    if (end !== null) ends.push(end);
  }
  return ends.sort((a, b) => a.index - b.index);
}

/**
 * The node from which the next message should hang: the newest message of the step that has no other below it, and then
 * down along what was added to it (attachments, progress). A step without a message is no end: progress grafted
 * somewhere, or a compaction boundary whose summary was never written.
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

/** A message may hang from another through progress entries. */
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
 * The newest message of a leaf's step; what merely hangs from it says nothing about when it was active. Neither does an
 * error in the place of an answer to what was asked long ago, nor a call's second result, which a stray permission
 * leaves behind days later: a branch that holds nothing else is as old as what it hangs from.
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

/** Whether somebody has asked something else since what the node is about. */
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
