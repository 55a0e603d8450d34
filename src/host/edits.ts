import { isPrompt } from '../sessions/entry-fields.ts';
import { readTree, type Tree } from '../sessions/tree.ts';
import type { TreeNode } from '../sessions/tree-model.ts';
import { ControlError, HeddleError } from '../wire/errors.ts';
import type { Message } from '../wire/messages/index.ts';
import type { UserInput } from '../wire/messages/user.ts';
import { goOnFrom } from './branches.ts';
import type { Parts } from './parts.ts';
import { parentOf } from './record-input.ts';
import { checkpointsOf, restoreAt, restoreAtPrompt } from './restore-files.ts';

/**
 * Goes on from where an input says: from another message, or from where the prompt went on that it edits; with the files
 * of that place, if it wants them, which is said. Only between turns. Rejects with `unknown_parent`.
 */
export async function turnTo(parts: Parts, input: UserInput): Promise<void> {
  const { edits, restore_files: restores = false } = input;
  const tree = edits !== undefined || restores ? await treeOf(parts) : null;
  const edited = tree && edits !== undefined ? promptIn(tree, edits) : undefined;
  const parent = edited ? (edited.parent?.id ?? null) : parentOf(input);
  if (parent === undefined) return;
  if (tree && restores) await restoreFor(parts, tree, { edited, parent, input });
  await goOnFrom(parts, parent);
}

interface Place {
  edited: TreeNode | undefined;
  parent: string | null;
  input: UserInput;
}

async function restoreFor(parts: Parts, tree: Tree, { edited, parent, input }: Place): Promise<void> {
  const restored = edited
    ? await restoreAtPrompt(parts, tree, edited.id)
    : await restoreAt(parts, tree, parent === null ? null : nodeIn(parts, tree, parent), { dryRun: false });
  await parts.say({
    type: 'system',
    subtype: 'files_restored',
    ...(input.uuid !== undefined && { input_uuid: input.uuid }),
    ...restored,
    session_id: parts.sessionId,
    uuid: parts.runtime.ids.uuid(),
  } as Message);
}

/** Why an input that edits a prompt, or brings files back, cannot be taken: a text and its code. Null: it can. */
export async function editProblem(parts: Parts, input: UserInput): Promise<{ error: string; code: string } | null> {
  const { edits, restore_files: restores = false } = input;
  const parent = parentOf(input);
  if (edits !== undefined && parent !== undefined) return invalid('edits and parentUuid exclude each other');
  if (edits === undefined && parent === undefined) return invalid('restore_files needs edits or parentUuid');
  try {
    const checkpoints = restores ? checkpointsOf(parts) : null;
    // One that waits for its turn, or has just begun it, is not in the tree yet.
    if (edits === undefined) return null;
    const tree = await treeOf(parts);
    if (!tree.nodes.has(edits) && parts.uuids.has(edits)) return null;
    promptIn(tree, edits);
    if (!checkpoints || checkpoints.has(edits)) return null;
    return { error: `There is no file checkpoint for the message ${edits}`, code: 'no_checkpoint' };
  } catch (error) {
    if (error instanceof ControlError) return { error: error.message, code: error.errorCode ?? error.code };
    if (HeddleError.isInstance(error)) return { error: error.message, code: error.code };
    throw error;
  }
}

function invalid(error: string): { error: string; code: string } {
  return { error, code: 'invalid_request' };
}

/** Not to be taken for the beginning, where it cannot be found. */
function nodeIn({ spoken }: Parts, tree: Tree, uuid: string): TreeNode {
  const node = tree.nodes.get(spoken.get(uuid) ?? uuid);
  if (node) return node;
  throw new HeddleError('unknown_parent', `No message of this session has the uuid ${uuid}`, { facts: { uuid } });
}

function promptIn(tree: Tree, uuid: string): TreeNode {
  const node = tree.nodes.get(uuid);
  if (node && !node.isSidechain && isPrompt(node.entry)) return node;
  const what = node ? `The message ${uuid} is no prompt` : `No prompt of this session has the uuid ${uuid}`;
  throw new HeddleError('unknown_parent', `${what}, so it cannot be edited`, { facts: { uuid } });
}

function treeOf({ transcript: { store, key } }: Parts): Promise<Tree> {
  return readTree(store.load(key));
}
