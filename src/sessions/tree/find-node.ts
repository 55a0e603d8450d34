import { stringField } from '../../util/json.ts';
import { HeddleError } from '../../wire/errors.ts';
import type { Tree, TreeNode } from './tree.ts';

/**
 * The message of a uuid. In a fork, whose messages have new uuids, it also finds the copy of a message by its uuid in
 * the original session: every uuid stays addressable. Throws `session_not_found`.
 */
export function nodeNamed(tree: Tree, uuid: string): TreeNode {
  const found = tree.nodes.get(uuid) ?? copyOf(tree, uuid);
  if (found && !found.isSidechain) return found;
  throw new HeddleError('session_not_found', `No message found with message.uuid of: ${uuid}`, { facts: { uuid } });
}

function copyOf(tree: Tree, uuid: string): TreeNode | undefined {
  return [...tree.nodes.values()].find(({ entry }) => stringField(entry.forkedFrom, 'messageUuid') === uuid);
}
