import type { Entry } from '../wire/entries.ts';
import { answeredIds, callIds, isConversation } from './entry-fields.ts';
import type { Step, Tree, TreeNode } from './tree-model.ts';

/**
 * The conversation that ends in a node, from its root or its compaction boundary on. Besides the ancestors it holds
 * what belongs to them: the other blocks of an answer that was left by one of its results, and results of calls on the
 * path that hang beside it. Empty for an unknown uuid.
 */
export function pathTo(tree: Tree, leafUuid: string): Entry[] {
  const path: TreeNode[] = [];
  let stretch: TreeNode[] = [];
  for (const node of ancestors(tree.nodes.get(leafUuid))) {
    const [before] = stretch;
    if (before && tree.steps.get(before) !== tree.steps.get(node)) {
      path.push(...wholeStep(tree.steps.get(before), stretch));
      stretch = [];
    }
    stretch.push(node);
  }
  const [last] = stretch;
  if (last) path.push(...wholeStep(tree.steps.get(last), stretch));
  return path.map((node) => node.entry);
}

/** From the root down to the node itself. */
function ancestors(leaf: TreeNode | undefined): TreeNode[] {
  const trunk: TreeNode[] = [];
  for (let node = leaf ?? null; node !== null; node = node.parent) trunk.push(node);
  return trunk.reverse();
}

/** The stretch of the path that lies in one step, completed. */
function wholeStep(step: Step | undefined, stretch: TreeNode[]): TreeNode[] {
  if (!step || step.calls.size === 0 || step.members.length === stretch.length) return stretch;
  const added = besides(step, stretch);
  const cut = stretch.findLastIndex((node) => node.entry.type === 'assistant') + 1;
  return [...stretch.slice(0, cut), ...added, ...stretch.slice(cut)];
}

/** Members of the step that belong to the path without being ancestors: blocks first, then results in file order. */
function besides(step: Step, stretch: readonly TreeNode[]): TreeNode[] {
  const leftByResult = stretch.findLast((node) => isConversation(node.entry))?.entry.type === 'user';
  const included = new Set(stretch);
  const answered = new Set(stretch.flatMap((node) => answeredIds(node.entry)));

  const blocks = leftByResult ? step.members.filter((n) => n.entry.type === 'assistant' && !included.has(n)) : [];
  for (const node of blocks) included.add(node);
  const calls = new Set([...included].flatMap((node) => callIds(node.entry)));

  const rest: TreeNode[] = [];
  for (const node of [...step.members].sort((a, b) => a.index - b.index)) {
    if (included.has(node)) continue;
    const answers = answeredIds(node.entry).filter((id) => calls.has(id) && !answered.has(id));
    const isAddition = node.entry.type === 'attachment' && node.parent !== null && included.has(node.parent);
    if (answers.length === 0 && !isAddition) continue;
    rest.push(node);
    included.add(node);
    for (const id of answers) answered.add(id);
  }
  return [...blocks, ...rest];
}
