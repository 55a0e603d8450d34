import { answeredIds, answerKey, callIds, isConversation } from './entry-fields.ts';
import type { Step, TreeNode } from './tree-model.ts';

/** Assigns every node to its step. The nodes must be a forest. */
export function groupSteps(nodes: readonly TreeNode[]): Map<TreeNode, Step> {
  const steps = new Map<TreeNode, Step>();
  const queue = nodes.filter((node) => node.parent === null);
  for (const node of queue) {
    const above = node.parent === null ? undefined : steps.get(node.parent);
    const step = above && belongs(node, above) ? above : newStep(node);
    if (above && above !== step && isContinuation(node)) above.continued = true;
    step.members.push(node);
    for (const id of callIds(node.entry)) step.calls.add(id);
    steps.set(node, step);
    // A loop over a growing list is breadth first; a `push(...)` of all children could exceed the argument limit.
    for (const child of node.children) queue.push(child);
  }
  return steps;
}

function belongs(node: TreeNode, step: Step): boolean {
  const { entry } = node;
  if (node.isSidechain !== step.members[0]?.isSidechain) return false;
  if (!isConversation(entry)) return true;
  if (entry.type === 'assistant') return step.answer !== null && answerKey(entry) === step.answer;
  return answeredIds(entry).some((id) => step.calls.has(id));
}

function isContinuation(node: TreeNode): boolean {
  return !node.isSidechain && isConversation(node.entry);
}

function newStep({ entry }: TreeNode): Step {
  return {
    members: [],
    answer: entry.type === 'assistant' ? answerKey(entry) : null,
    calls: new Set(),
    continued: false,
  };
}
