import type { TreeNode } from './tree.ts';

/** Whether a node lies below another one, at any depth. */
export function isBelow(node: TreeNode, ancestor: TreeNode): boolean {
  for (let above = node.parent; above !== null; above = above.parent) if (above === ancestor) return true;
  return false;
}

/** The nodes by the ids of the tool calls that they make, or that they answer, in their order. */
export function nodesByCall(nodes: readonly TreeNode[], ids: 'calls' | 'answers'): Map<string, TreeNode[]> {
  const byCall = new Map<string, TreeNode[]>();
  for (const node of nodes) {
    for (const id of node[ids]) {
      const known = byCall.get(id);
      if (known) known.push(node);
      else byCall.set(id, [node]);
    }
  }
  return byCall;
}
