import { instantOf, isConversation, isPrompt, textOf } from '../sessions/entry-fields.ts';
import { activeLeaf, pathTo, readTree, type Tree } from '../sessions/tree.ts';
import type { TreeNode } from '../sessions/tree-model.ts';
import { stringField } from '../util/json.ts';
import type { Branch, RewindFilesResult, SessionNode, SessionTree, SwitchLeafResult } from '../wire/control/index.ts';
import type { Entry } from '../wire/entries.ts';
import { ControlError } from '../wire/errors.ts';
import type { ControlBody } from '../wire/peer.ts';
import type { Parts } from './assemble.ts';
import { goOnFrom } from './branches.ts';

/** The requests about the tree of a running session. The file is read anew for each: it is the truth. */

/** More would be a line that other SDKs do not take (ruling K34). */
const MAX_NODES = 3000;
const PREVIEW = 80;

export async function sessionTree(parts: Parts, { offset, limit }: ControlBody): Promise<SessionTree> {
  const tree = await treeOf(parts);
  const from = count(offset, 'offset') ?? 0;
  const all = [...tree.nodes.values()];
  const nodes = all.slice(from, from + Math.min(count(limit, 'limit') ?? MAX_NODES, MAX_NODES));
  const isWhole = from === 0 && nodes.length === all.length;
  return {
    leaf_uuid: parts.recorder.leaf,
    leaves: tree.leaves.map(({ id }) => id),
    nodes: nodes.map(toSessionNode),
    ...(!isWhole && { total: all.length }),
  };
}

export async function branches(parts: Parts): Promise<{ branches: Branch[] }> {
  const tree = await treeOf(parts);
  const summaries = await summariesOf(parts);
  const active = activeEnd(parts, tree);
  return { branches: tree.leaves.map((leaf) => toBranch(tree, leaf, { active, summary: summaries.get(leaf.id) })) };
}

/** Goes on from another leaf, or from any other message. With `dry_run` nothing changes. */
export async function switchLeaf(parts: Parts, request: ControlBody): Promise<SwitchLeafResult> {
  const wanted = stringField(request, 'leaf_uuid');
  if (wanted === undefined) throw new ControlError('request.leaf_uuid must be a string', 'invalid_request');
  const tree = await treeOf(parts);
  const node = tree.nodes.get(parts.spoken.get(wanted) ?? wanted);
  if (!node || node.isSidechain) {
    throw new ControlError(`No message of this session has the uuid ${wanted}; nothing was changed`, 'unknown_parent');
  }
  const dryRun = request.dry_run === true;
  const files = request.restore_files === true ? await restoreFiles(parts, tree, node, { dryRun }) : undefined;
  if (!dryRun) {
    await goOnFrom(parts, node.id);
    await parts.recorder.markLeaf(lastPromptOf(pathTo(tree, node.id)).slice(0, PREVIEW));
  }
  return { leaf_uuid: node.id, ...(files && { files }) };
}

/** Copies the conversation, or its beginning up to a message, to a new session. This one goes on as it was. */
export async function forkSession(parts: Parts, request: ControlBody): Promise<{ session_id: string }> {
  const { store, key, isKept } = parts.transcript;
  if (!isKept) throw new ControlError('This session is not kept on disk, so it cannot be forked', 'not_supported');
  const tree = await treeOf(parts);
  const given = stringField(request, 'at_uuid');
  const at = given === undefined ? parts.recorder.leaf : (parts.spoken.get(given) ?? given);
  const path = at === null ? [] : pathTo(tree, at);
  if (path.length === 0) {
    const what = given === undefined ? 'This session has no messages yet' : `No message of it has the uuid ${given}`;
    throw new ControlError(`${what}; nothing was forked`, 'unknown_parent');
  }
  const sessionId = parts.runtime.ids.uuid();
  const title = stringField(request, 'title');
  const copies: Entry[] = path.map((entry) => ('sessionId' in entry ? { ...entry, sessionId } : entry));
  if (title !== undefined) copies.push({ type: 'custom-title', customTitle: title, sessionId });
  await store.append({ ...key, sessionId }, copies);
  return { session_id: sessionId };
}

export async function renameSession(parts: Parts, request: ControlBody): Promise<Record<string, never>> {
  const title = stringField(request, 'title')?.trim();
  if (!title) throw new ControlError('request.title must be a text', 'invalid_request');
  await parts.recorder.title(title);
  return {};
}

function treeOf({ transcript: { store, key } }: Parts): Promise<Tree> {
  return readTree(store.load(key));
}

/** The branch that the next message continues. */
function activeEnd({ recorder }: Parts, tree: Tree): string | null {
  if (recorder.leaf === null) return null;
  const { leaf } = activeLeaf(tree, recorder.leaf);
  const step = leaf && tree.steps.get(leaf);
  return tree.leaves.find((end) => end === leaf || tree.steps.get(end) === step)?.id ?? null;
}

/** Entries that sum up a branch belong to its leaf; the last one counts. */
async function summariesOf({ transcript: { store, key } }: Parts): Promise<Map<string, string>> {
  const summaries = new Map<string, string>();
  for await (const item of store.load(key)) {
    if (!('entry' in item) || item.entry.type !== 'summary') continue;
    const leaf = stringField(item.entry, 'leafUuid');
    const summary = stringField(item.entry, 'summary');
    if (leaf !== undefined && summary !== undefined) summaries.set(leaf, summary);
  }
  return summaries;
}

function toSessionNode({ id, entry, parent, isSidechain }: TreeNode): SessionNode {
  const preview = textOf(entry).slice(0, PREVIEW);
  const timestamp = stringField(entry, 'timestamp');
  return {
    uuid: id,
    parent_uuid: parent?.id ?? null,
    type: entry.type,
    ...(timestamp !== undefined && { timestamp }),
    ...(preview !== '' && { preview }),
    ...(isSidechain && { is_sidechain: true }),
  };
}

function toBranch(
  tree: Tree,
  leaf: TreeNode,
  { active, summary }: { active: string | null; summary: string | undefined },
): Branch {
  const path = pathTo(tree, leaf.id);
  const preview = lastPromptOf(path).slice(0, PREVIEW);
  const instant = instantOf(leaf.entry);
  return {
    leaf_uuid: leaf.id,
    active: leaf.id === active,
    length: path.filter(isConversation).length,
    turns: path.filter(isPrompt).length,
    ...(instant > 0 && { timestamp: new Date(instant).toISOString() }),
    ...(preview !== '' && { preview }),
    ...(summary !== undefined && { summary }),
  };
}

function lastPromptOf(path: readonly Entry[]): string {
  const prompt = path.findLast(isPrompt);
  return prompt ? textOf(prompt) : '';
}

/**
 * The files as the branch left them: as they were when it was left for another one, else when the next message was
 * sent, on whatever branch (the file system has one past); when none was, they are as they should be.
 */
async function restoreFiles(
  { checkpoints, recorder }: Parts,
  tree: Tree,
  leaf: TreeNode,
  { dryRun }: { dryRun: boolean },
): Promise<RewindFilesResult> {
  if (!checkpoints) {
    const how = 'enableFileCheckpointing, or CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING=true';
    throw new ControlError(`Files cannot be restored: the session was started without ${how}`, 'not_enabled');
  }
  const last = Math.max(...(tree.steps.get(leaf)?.members ?? [leaf]).map(({ index }) => index));
  const next = [...tree.nodes.values()].find((node) => node.index > last && checkpoints.has(node.id));
  const state = checkpoints.has(leaf.id) && !isPrompt(leaf.entry) ? leaf : next;
  if (!state || leaf.id === recorder.leaf) return { canRewind: true, filesChanged: [] };
  if (!dryRun && recorder.leaf !== null) await checkpoints.leave(recorder.leaf);
  return checkpoints.rewind(state.id, { dryRun, anyBranch: true });
}

function count(value: unknown, name: string): number | undefined {
  if (value === undefined) return undefined;
  if (Number.isInteger(value) && (value as number) >= 0) return value as number;
  throw new ControlError(`request.${name} must be a whole number, 0 or above`, 'invalid_request');
}
