import { answerKey, isConversation } from './entry-fields.ts';
import type { Step, TreeNode } from './tree-model.ts';

/** Assigns every node to its step. The nodes must be a forest. */
export function groupSteps(nodes: readonly TreeNode[]): Map<TreeNode, Step> {
  const steps = new Map<TreeNode, Step>();
  const siblings = new Map<Step, Map<string, Step>>();
  const known = new Set(nodes.flatMap((node) => node.calls));
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

  /** The step above, or that of a sibling when both are blocks of one answer. */
  function ownStep(node: TreeNode, above: Step): Step | undefined {
    if (belongs(node, above, known)) return above;
    const answer = isContinuation(node) && node.entry.type === 'assistant' ? answerKey(node.entry) : null;
    if (answer === null) return undefined;
    const answers = siblings.get(above) ?? new Map<string, Step>();
    siblings.set(above, answers);
    const step = answers.get(answer) ?? newStep(node);
    answers.set(answer, step);
    return step;
  }
}

function belongs(node: TreeNode, step: Step, known: ReadonlySet<string>): boolean {
  const { entry } = node;
  if (node.isSidechain !== step.members[0]?.isSidechain) return false;
  if (!isConversation(entry)) return true;
  if (entry.type === 'assistant') return step.answer !== null && answerKey(entry) === step.answer;
  // A result whose call is lost came from the answer that it hangs from.
  return node.answers.some((id) => step.calls.has(id) || (step.answer !== null && !known.has(id)));
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
