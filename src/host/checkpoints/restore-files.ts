import { isPrompt } from '../../sessions/entry-fields.ts';
import type { Tree } from '../../sessions/tree/build-tree.ts';
import type { TreeNode } from '../../sessions/tree/tree.ts';
import type { RewindFilesResult } from '../../wire/control/index.ts';
import { ControlError } from '../../wire/errors.ts';
import type { Checkpoints } from './checkpoints.ts';

/** A conversation whose files follow it to another message. Their present state is saved first, so that a return restores it. */
export interface RestorableConversation {
  readonly checkpoints: Checkpoints | null;
  readonly leaf: string | null;
}

/** Throws for a session that does not save files. */
export function checkpointsOf({ checkpoints }: Pick<RestorableConversation, 'checkpoints'>): Checkpoints {
  if (checkpoints) return checkpoints;
  const how = 'enableFileCheckpointing, or CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING=true';
  throw new ControlError(`Files cannot be restored: the session was started without ${how}`, 'not_enabled');
}

/**
 * Restores the files of a branch, as they were when the user left it for another one, or else when the next message of
 * any branch was sent. Without a later message the files are right as they are. A null leaf means before the first message.
 */
export async function restoreAt(
  conversation: RestorableConversation,
  tree: Tree,
  leaf: TreeNode | null,
  { dryRun }: { dryRun: boolean },
): Promise<RewindFilesResult> {
  const checkpoints = checkpointsOf(conversation);
  const steps = leaf && (tree.steps.get(leaf)?.members ?? [leaf]);
  const last = steps ? Math.max(...steps.map(({ index }) => index)) : -1;
  const next = [...tree.nodes.values()].find((node) => node.index > last && checkpoints.has(node.id));
  const state = leaf && checkpoints.has(leaf.id) && !isPrompt(leaf.entry) ? leaf : next;
  if (!state || (leaf && leaf.id === conversation.leaf)) return { canRewind: true, filesChanged: [] };
  if (!dryRun) await savePresent(conversation, tree);
  return checkpoints.rewind(state.id, { dryRun, anyBranch: true, namesFiles: true });
}

/** Restores the files as they were when a prompt of the session was sent. */
export async function restoreAtPrompt(
  conversation: RestorableConversation,
  tree: Tree,
  uuid: string,
): Promise<RewindFilesResult> {
  const checkpoints = checkpointsOf(conversation);
  await savePresent(conversation, tree);
  return checkpoints.rewind(uuid, { dryRun: false, anyBranch: true, namesFiles: true });
}

/** Saves the present files under the message that the conversation leaves. A prompt has its own state, which stays. */
async function savePresent({ checkpoints, leaf }: RestorableConversation, tree: Tree): Promise<void> {
  const node = leaf === null ? undefined : tree.nodes.get(leaf);
  if (node && !isPrompt(node.entry)) await checkpoints?.leave(node.id);
}
