import type { Entry } from '../wire/entries.ts';
import { keptOn, relinked, withKept } from './kept-segment.ts';
import type { Step, Tree, TreeNode } from './tree-model.ts';

/**
 * The conversation that ends in a node, from its root or its compaction boundary on, with what the compaction has kept
 * from before it. Empty for an unknown uuid.
 */
export function pathTo(tree: Tree, leafUuid: string): Entry[] {
  const path = stretchTo(tree, leafUuid);
  const kept = keptOn(tree, path);
  return kept === null ? path.map(({ entry }) => entry) : relinked(withKept(path, kept), kept);
}

/** The nodes of that conversation. */
export function nodesTo(tree: PathTree, leafUuid: string): TreeNode[] {
  const path = stretchTo(tree, leafUuid);
  const kept = keptOn(tree, path);
  return kept === null ? path : withKept(path, kept);
}

/** What a path is made of. */
type PathTree = Pick<Tree, 'nodes' | 'steps' | 'results' | 'kept'>;

/**
 * What the file itself links up to a node, without what was kept from before. Besides the ancestors it holds what belongs
 * to them: the other blocks of an answer that was left by one of its results, and results of calls on the path that hang
 * beside it.
 */
export function stretchTo(tree: PathTree, leafUuid: string): TreeNode[] {
  const path: TreeNode[] = [];
  let stretch: TreeNode[] = [];
  let step: Step | undefined;
  for (const node of [...ancestors(tree.nodes.get(leafUuid)), null]) {
    const next = node === null ? undefined : tree.steps.get(node);
    if (next !== step) {
      // A `push(...)` of a long stretch could exceed the argument limit.
      for (const member of wholeStep(step, stretch)) path.push(member);
      stretch = [];
      step = next;
    }
    if (node !== null) stretch.push(node);
  }
  return withStrayResults(tree, path);
}

/** From the root down to the node itself. */
function ancestors(leaf: TreeNode | undefined): TreeNode[] {
  const trunk: TreeNode[] = [];
  for (let node = leaf ?? null; node !== null; node = node.parent) trunk.push(node);
  return trunk.reverse();
}

/** The stretch of the path that lies in one step, completed: its blocks in their order, then the results. */
function wholeStep(step: Step | undefined, stretch: TreeNode[]): TreeNode[] {
  if (!step || step.answer === null || step.members.length === stretch.length) return stretch;
  const included = new Set(stretch);
  const blocks = otherBlocks(step, stretch);
  for (const node of blocks) included.add(node);
  const cut = stretch.findLastIndex((node) => node.entry.type === 'assistant') + 1;
  const head = blocks.length === 0 ? stretch.slice(0, cut) : inOrderOf(step, [...stretch.slice(0, cut), ...blocks]);
  return [...head, ...besides(step, included), ...stretch.slice(cut)];
}

/**
 * Blocks of the answer that are no ancestors. All of them when the answer was left by a result, for then it was whole;
 * else those that stand before the last block on the path, which are its siblings.
 */
function otherBlocks(step: Step, stretch: readonly TreeNode[]): TreeNode[] {
  const isLeftByResult = stretch.findLast((node) => node.isMessage)?.entry.type === 'user';
  const last = stretch.findLast((node) => node.entry.type === 'assistant');
  if (!isLeftByResult && !last) return [];
  const included = new Set(stretch);
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
    // A call that is not among the step's is lost; one that is, but not on the path, was left out on purpose.
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

/** A result that was written further down, beside the path, is put behind its call. */
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

function isBelow(node: TreeNode, ancestor: TreeNode): boolean {
  for (let above = node.parent; above !== null; above = above.parent) if (above === ancestor) return true;
  return false;
}
