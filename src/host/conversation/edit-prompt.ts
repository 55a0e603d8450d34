import { isPrompt } from '../../sessions/entry-fields.ts';
import { readTree, type Tree } from '../../sessions/tree/build-tree.ts';
import type { TreeNode } from '../../sessions/tree/tree.ts';
import type { RewindFilesResult } from '../../wire/control/index.ts';
import { ControlError, HeddleError } from '../../wire/errors.ts';
import type { UserInput } from '../../wire/messages/user.ts';
import { checkpointsOf, restoreAt, restoreAtPrompt } from '../checkpoints/restore-files.ts';
import type { Conversation } from './conversation.ts';
import { parentOf } from './user-input.ts';

/**
 * Continues from the message that an input names, or from the parent of the prompt that it edits, and restores the files
 * of that message if the input asks for them; `onRestored` gets the result. Call it only between turns. Rejects with
 * `unknown_parent`.
 */
export async function turnTo(
  conversation: Conversation,
  input: UserInput,
  onRestored: (restored: FilesRestored) => Promise<void>,
): Promise<void> {
  const { edits, restore_files: restores = false } = input;
  const tree = edits !== undefined || restores ? await treeOf(conversation) : null;
  const edited = tree && edits !== undefined ? promptIn(tree, edits) : undefined;
  const parent = edited ? (edited.parent?.id ?? null) : parentOf(input);
  if (parent === undefined) return;
  if (tree && restores) await onRestored(await restoreFor(conversation, tree, { edited, parent, input }));
  await conversation.moveTo(parent);
}

/** Fields of a `files_restored` line. */
type FilesRestored = RewindFilesResult & { input_uuid?: string };

interface EditPosition {
  edited: TreeNode | undefined;
  parent: string | null;
  input: UserInput;
}

async function restoreFor(
  conversation: Conversation,
  tree: Tree,
  { edited, parent, input }: EditPosition,
): Promise<FilesRestored> {
  const restored = edited
    ? await restoreAtPrompt(conversation, tree, edited.id)
    : await restoreAt(conversation, tree, parent === null ? null : nodeIn(conversation, tree, parent), {
        dryRun: false,
      });
  return { ...(input.uuid !== undefined && { input_uuid: input.uuid }), ...restored };
}

/** Why an input that edits a prompt or restores files is refused: a text and its code. Null: it is accepted. */
export async function editProblem(
  conversation: Conversation,
  input: UserInput,
): Promise<{ error: string; code: string } | null> {
  const { edits, restore_files: restores = false } = input;
  const parent = parentOf(input);
  if (edits !== undefined && parent !== undefined) return invalid('edits and parentUuid exclude each other');
  if (edits === undefined && parent === undefined) return invalid('restore_files needs edits or parentUuid');
  try {
    const checkpoints = restores ? checkpointsOf(conversation) : null;
    // A prompt that waits for its turn, or whose turn has just begun, is not in the tree yet.
    if (edits === undefined) return null;
    const tree = await treeOf(conversation);
    if (!tree.nodes.has(edits) && conversation.uuids.has(edits)) return null;
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

/** Throws for an unknown message, which must not count as the beginning of the session. */
function nodeIn({ anchors }: Conversation, tree: Tree, uuid: string): TreeNode {
  const node = tree.nodes.get(anchors.entryOf(uuid));
  if (node) return node;
  throw new HeddleError('unknown_parent', `No message of this session has the uuid ${uuid}`, { facts: { uuid } });
}

function promptIn(tree: Tree, uuid: string): TreeNode {
  const node = tree.nodes.get(uuid);
  if (node && !node.isSidechain && isPrompt(node.entry)) return node;
  const what = node ? `The message ${uuid} is no prompt` : `No prompt of this session has the uuid ${uuid}`;
  throw new HeddleError('unknown_parent', `${what}, so it cannot be edited`, { facts: { uuid } });
}

function treeOf({ transcript: { store, key } }: Conversation): Promise<Tree> {
  return readTree(store.load(key));
}
