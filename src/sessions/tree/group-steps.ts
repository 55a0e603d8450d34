import type { Step, TreeNode } from './tree.ts';

/** Assigns every node to its step. The nodes must be a forest. */
export function groupSteps(nodes: readonly TreeNode[]): Map<TreeNode, Step> {
  const steps = new Map<TreeNode, Step>();
  const answers = new Map<string, Step>();
  let known: Set<string> | undefined;
  const isLost = (call: string) => {
    // Computed only where something is wrong.
    known ??= new Set(nodes.flatMap((node) => node.calls));
    return !known.has(call);
  };
  const queue = nodes.filter((node) => node.parent === null);
  for (const node of queue) {
    const above = node.parent === null ? undefined : steps.get(node.parent);
    const step = (above && ownStep(node, above)) ?? newStep(node);
    if (above && above !== step && isContinuation(node)) above.continued = true;
    step.members.push(node);
    for (const id of node.calls) step.calls.add(id);
    steps.set(node, step);
    // A loop over a growing list is breadth first; a `push(...)` of all children could exceed the argument limit.
    for (const child of node.children) queue.push(child);
  }
  return steps;

  /** The parent's step, or that of a sibling when both are blocks of one answer. */
  function ownStep(node: TreeNode, above: Step): Step | undefined {
    if (belongs(node, above, isLost)) return above;
    if (node.answer === null || !isContinuation(node)) return undefined;
    const place = `${above.members[0]?.id} ${node.answer}`;
    const step = answers.get(place) ?? newStep(node);
    answers.set(place, step);
    return step;
  }
}

function belongs(node: TreeNode, step: Step, isLost: (call: string) => boolean): boolean {
  if (node.isSidechain !== step.members[0]?.isSidechain) return false;
  if (!node.isMessage) return true;
  if (node.answer !== null) return node.answer === step.answer;
  // A result whose call is lost came from the answer that is its parent.
  return node.answers.some((id) => step.calls.has(id) || (step.answer !== null && isLost(id)));
}

function isContinuation(node: TreeNode): boolean {
  return !node.isSidechain && node.isMessage;
}

function newStep({ answer }: TreeNode): Step {
  return { members: [], answer, calls: new Set(), continued: false };
}
