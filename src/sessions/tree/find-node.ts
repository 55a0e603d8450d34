import { stringField } from '../util/json.ts';
import { HeddleError } from '../wire/errors.ts';
import type { Tree, TreeNode } from './tree-model.ts';

/**
 * The message of a uuid. In a fork, whose messages have uuids of their own, also the copy of the message that has the
 * uuid in the session it was forked from: every uuid stays addressable (ruling K30). Throws `session_not_found`.
 */
export function nodeNamed(tree: Tree, uuid: string): TreeNode {
  const found = tree.nodes.get(uuid) ?? copyOf(tree, uuid);
  if (found && !found.isSidechain) return found;
  throw new HeddleError('session_not_found', `No message found with message.uuid of: ${uuid}`, { facts: { uuid } });
}

function copyOf(tree: Tree, uuid: string): TreeNode | undefined {
  return [...tree.nodes.values()].find(({ entry }) => stringField(entry.forkedFrom, 'messageUuid') === uuid);
}
