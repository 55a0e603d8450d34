import { stringField } from '../../util/json.ts';
import type { Branch, SessionNode, SessionTree } from '../../wire/control/index.ts';
import type { Entry } from '../../wire/entries.ts';
import { instantOf, isConversation, isPrompt, textOf } from '../entry-fields.ts';
import { textsOf } from '../entry-texts.ts';
import { firstWords } from '../terminal-text.ts';
import { pathTo, type Tree } from '../tree/build-tree.ts';
import type { TreeNode } from '../tree/tree.ts';

/** The tree of a session in the format of the wire, for hosts: a running session and a stored one look the same. */

/** More nodes would make a line that other SDKs do not accept. */
export const MAX_NODES = 3000;

const PREVIEW = 80;

export interface Page {
  offset?: number | undefined;
  limit?: number | undefined;
}

export function sessionTree(tree: Tree, leaf: string | null, { offset = 0, limit = Infinity }: Page = {}): SessionTree {
  const all = [...tree.nodes.values()];
  const nodes = all.slice(offset, offset + limit);
  return {
    leaf_uuid: leaf,
    leaves: tree.leaves.map(({ id }) => id),
    nodes: nodes.map(sessionNode),
    ...(nodes.length < all.length && { total: all.length }),
  };
}

export function sessionNode({ id, entry, parent, isSidechain }: TreeNode): SessionNode {
  const preview = textsOf(entry).find(({ text }) => text.trim() !== '')?.text;
  const timestamp = stringField(entry, 'timestamp');
  return {
    uuid: id,
    parent_uuid: parent?.id ?? null,
    type: entry.type,
    ...(timestamp !== undefined && { timestamp }),
    ...(preview !== undefined && { preview: firstWords(preview, PREVIEW) }),
    ...(isSidechain && { is_sidechain: true }),
    ...(!isSidechain && isPrompt(entry) && { is_prompt: true as const }),
  };
}

/** One per leaf. `active` is the message from which the conversation continues; it need not be a leaf. */
export function branchesOf(
  tree: Tree,
  active: string | null,
  summaries: ReadonlyMap<string, string> = new Map(),
): Branch[] {
  const step = active === null ? undefined : tree.steps.get(tree.nodes.get(active) as TreeNode);
  return tree.leaves.map((leaf) => {
    const path = pathTo(tree, leaf.id);
    const preview = firstWords(lastPromptOf(path), PREVIEW);
    const instant = instantOf(leaf.entry);
    const summary = summaries.get(leaf.id);
    return {
      leaf_uuid: leaf.id,
      active: leaf.id === active || (step !== undefined && tree.steps.get(leaf) === step),
      length: path.filter(isConversation).length,
      turns: path.filter(isPrompt).length,
      ...(instant > 0 && { timestamp: new Date(instant).toISOString() }),
      ...(preview !== '' && { preview }),
      ...(summary !== undefined && { summary }),
    };
  });
}

/** The last prompt on a branch; empty when there is none. */
export function lastPromptOf(path: readonly Entry[]): string {
  const prompt = path.findLast(isPrompt);
  return prompt ? textOf(prompt) : '';
}
