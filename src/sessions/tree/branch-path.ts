import type { Entry } from '../../wire/entries.ts';
import { relinked, retainedOn, withRetained } from './retained-segment.ts';
import type { Step, Tree, TreeNode } from './tree.ts';
import { isBelow } from './tree-nodes.ts';

/**
 * The conversation that ends in a node, from its root or its compaction boundary on, including the messages that the
 * compaction retained. Empty for an unknown uuid.
 */
export function pathTo(tree: Tree, leafUuid: string): Entry[] {
  const path = segmentTo(tree, leafUuid);
  const retained = retainedOn(tree, path);
  return retained === null ? path.map(({ entry }) => entry) : relinked(withRetained(path, retained), retained);
}

/** The nodes of the conversation that ends in a node. */
export function nodesTo(tree: PathTree, leafUuid: string): TreeNode[] {
  const path = segmentTo(tree, leafUuid);
  const retained = retainedOn(tree, path);
  return retained === null ? path : withRetained(path, retained);
}

/** The parts of a tree that a path needs. */
type PathTree = Pick<Tree, 'nodes' | 'steps' | 'results' | 'retained'>;

/**
 * The nodes that the file itself links up to a node, without retained messages. It includes the ancestors and what
 * belongs to them: the other blocks of an answer when the path continues from one of its results, and results of calls
 * on the path that are linked elsewhere.
 */
export function segmentTo(tree: PathTree, leafUuid: string): TreeNode[] {
  const path: TreeNode[] = [];
  let segment: TreeNode[] = [];
  let step: Step | undefined;
  for (const node of [...ancestors(tree.nodes.get(leafUuid)), null]) {
    const next = node === null ? undefined : tree.steps.get(node);
    if (next !== step) {
      // A `push(...)` of a long segment could exceed the argument limit.
      for (const member of wholeStep(step, segment)) path.push(member);
      segment = [];
      step = next;
    }
    if (node !== null) segment.push(node);
  }
  return withStrayResults(tree, path);
}

/** From the root down to the node itself. */
function ancestors(leaf: TreeNode | undefined): TreeNode[] {
  const trunk: TreeNode[] = [];
  for (let node = leaf ?? null; node !== null; node = node.parent) trunk.push(node);
  return trunk.reverse();
}

/** The part of the path that is in one step, completed: its blocks in their order, then the results. */
function wholeStep(step: Step | undefined, segment: TreeNode[]): TreeNode[] {
  if (!step || step.answer === null || step.members.length === segment.length) return segment;
  const included = new Set(segment);
  const blocks = otherBlocks(step, segment);
  for (const node of blocks) included.add(node);
  const cut = segment.findLastIndex((node) => node.entry.type === 'assistant') + 1;
  const head = blocks.length === 0 ? segment.slice(0, cut) : inOrderOf(step, [...segment.slice(0, cut), ...blocks]);
  return [...head, ...besides(step, included), ...segment.slice(cut)];
}

/**
 * Blocks of the answer that are not ancestors. All of them when the path continues from a result, because the answer
 * was then complete; otherwise those before the last block on the path, which are its siblings.
 */
function otherBlocks(step: Step, segment: readonly TreeNode[]): TreeNode[] {
  const isLeftByResult = segment.findLast((node) => node.isMessage)?.entry.type === 'user';
  const last = segment.findLast((node) => node.entry.type === 'assistant');
  if (!isLeftByResult && !last) return [];
  const included = new Set(segment);
  return step.members.filter(
    (node) =>
      node.entry.type === 'assistant' && !included.has(node) && (isLeftByResult || node.index < (last?.index ?? 0)),
  );
}

function inOrderOf(step: Step, nodes: readonly TreeNode[]): TreeNode[] {
  const chosen = new Set(nodes);
  return step.members.filter((node) => chosen.has(node));
}

/** Results and attachments of the step that belong to the path without being ancestors, in the order of the file. */
function besides(step: Step, included: Set<TreeNode>): TreeNode[] {
  const calls = new Set([...included].flatMap((node) => node.calls));
  const answered = new Set([...included].flatMap((node) => node.answers));
  const rest: TreeNode[] = [];
  for (const node of [...step.members].sort((a, b) => a.index - b.index)) {
    if (included.has(node)) continue;
    // A call that is not in the step is lost; one that is in the step but not on the path was left out on purpose.
    const isWanted = (id: string) => !answered.has(id) && (calls.has(id) || !step.calls.has(id));
    const answers = node.answers.filter(isWanted);
    const isAddition = node.entry.type === 'attachment' && node.parent !== null && included.has(node.parent);
    if (answers.length === 0 && !isAddition) continue;
    rest.push(node);
    included.add(node);
    for (const id of answers) answered.add(id);
  }
  return rest;
}

/** Moves a result that was written further down, off the path, to directly after its call. */
function withStrayResults(tree: PathTree, path: readonly TreeNode[]): TreeNode[] {
  const answered = new Set<string>();
  for (const { answers } of path) for (const id of answers) answered.add(id);
  const whole: TreeNode[] = [];
  for (const node of path) {
    whole.push(node);
    for (const id of node.calls) {
      if (answered.has(id)) continue;
      const stray = tree.results.get(id)?.find((result) => !result.isSidechain && isBelow(result, node));
      if (!stray) continue;
      whole.push(stray);
      for (const settled of stray.answers) answered.add(settled);
    }
  }
  return whole;
}
