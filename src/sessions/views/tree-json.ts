import type { StoredSession } from '../stored/stored-session.ts';
import { sessionNode } from '../stored/tree-pages.ts';
import { firstWords } from '../terminal-text.ts';
import type { TreeNode } from '../tree/tree.ts';
import { type OutlineStep, outlineOf } from './outline.ts';
import { costOf, segmentsOf, segmentTitle, tokensIn, turnsIn } from './segments.ts';

/** The tree of a session for programs. Nodes and leaves are as in the answer to `session_tree`. */
export function treeView(session: StoredSession): object {
  const { sessionId, path, tree, title, tag, costUsd, summaries } = session;
  const outline = outlineOf(session);
  return {
    session_id: sessionId,
    path,
    title,
    tag,
    cost_usd: costUsd,
    leaf_uuid: outline.activeId,
    leaf_rule: outline.rule,
    leaves: tree.leaves.map(({ id }) => id),
    branches: segmentsOf(outline)
      .filter(({ children }) => children.length === 0)
      .map((segment) => {
        const leaf = segment.steps.at(-1);
        const steps = leaf ? pathOf(leaf) : [];
        return {
          leaf_uuid: leafOf(tree.leaves, leaf) ?? leaf?.id,
          active: segment.holdsActive,
          title: firstWords(segmentTitle(segment, summaries), PREVIEW),
          turns: turnsIn(steps),
          tokens: tokensIn(steps),
          cost_usd: costOf(steps),
        };
      }),
    nodes: [...tree.nodes.values()].map(sessionNode),
    findings: tree.findings,
  };
}

const PREVIEW = 80;

/** Attachments to the last message of a branch belong to its end. */
function leafOf(leaves: readonly TreeNode[], step: OutlineStep | undefined): string | undefined {
  return leaves.find(({ id }) => step?.ids.has(id))?.id;
}

function pathOf(leaf: OutlineStep): OutlineStep[] {
  const steps: OutlineStep[] = [];
  for (let step: OutlineStep | null = leaf; step; step = step.parent) steps.push(step);
  return steps.reverse();
}
