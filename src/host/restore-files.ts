import { isPrompt } from '../sessions/entry-fields.ts';
import type { Tree } from '../sessions/tree.ts';
import type { TreeNode } from '../sessions/tree-model.ts';
import type { RewindFilesResult } from '../wire/control/index.ts';
import { ControlError } from '../wire/errors.ts';
import type { Checkpoints } from './checkpoints.ts';
import type { Parts } from './parts.ts';

/** Files that follow the conversation to another place. What they are now is kept first, so that a return restores it. */

/** Throws for a session that keeps no files. */
export function checkpointsOf({ checkpoints }: Parts): Checkpoints {
  if (checkpoints) return checkpoints;
  const how = 'enableFileCheckpointing, or CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING=true';
  throw new ControlError(`Files cannot be restored: the session was started without ${how}`, 'not_enabled');
}

/**
 * The files as a branch left them: as they were when it was left for another one, else when the next message was sent, on
 * whatever branch (the file system has one past); when none was, they are as they should be. Null: before the first message.
 */
export async function restoreAt(
  parts: Parts,
  tree: Tree,
  leaf: TreeNode | null,
  { dryRun }: { dryRun: boolean },
): Promise<RewindFilesResult> {
  const checkpoints = checkpointsOf(parts);
  const steps = leaf && (tree.steps.get(leaf)?.members ?? [leaf]);
  const last = steps ? Math.max(...steps.map(({ index }) => index)) : -1;
  const next = [...tree.nodes.values()].find((node) => node.index > last && checkpoints.has(node.id));
  const state = leaf && checkpoints.has(leaf.id) && !isPrompt(leaf.entry) ? leaf : next;
  if (!state || (leaf && leaf.id === parts.recorder.leaf)) return { canRewind: true, filesChanged: [] };
  if (!dryRun) await keepPresent(parts, tree);
  return checkpoints.rewind(state.id, { dryRun, anyBranch: true, namesFiles: true });
}

/** The files as they were when a prompt of the session was sent. */
export async function restoreAtPrompt(parts: Parts, tree: Tree, uuid: string): Promise<RewindFilesResult> {
  const checkpoints = checkpointsOf(parts);
  await keepPresent(parts, tree);
  return checkpoints.rewind(uuid, { dryRun: false, anyBranch: true, namesFiles: true });
}

/** Under the message at which the conversation is left. A prompt has a state of its own, which this would replace. */
async function keepPresent({ checkpoints, recorder: { leaf } }: Parts, tree: Tree): Promise<void> {
  const node = leaf === null ? undefined : tree.nodes.get(leaf);
  if (node && !isPrompt(node.entry)) await checkpoints?.leave(node.id);
}
