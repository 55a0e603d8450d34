import { branchesOf, lastPromptOf, MAX_NODES, sessionTree as treeReport } from '../../sessions/stored/tree-pages.ts';
import { pathTo, readTree, type Tree } from '../../sessions/tree/build-tree.ts';
import { stringField } from '../../util/json.ts';
import type { Branch, SessionTree, SwitchLeafResult } from '../../wire/control/index.ts';
import { ControlError } from '../../wire/errors.ts';
import type { ControlBody } from '../../wire/link/peer.ts';
import { restoreAt } from '../checkpoints/restore-files.ts';
import type { Conversation } from '../conversation/conversation.ts';
import { forkConversation } from '../conversation/fork-conversation.ts';
import { type ControlContext, invalidRequest } from './control-handler.ts';

/** The requests about the tree of a running session. Each reads the stored session again, because that is the truth. */

export async function sessionTree(
  { main: { conversation } }: ControlContext,
  request: ControlBody,
): Promise<SessionTree> {
  const limit = Math.min(count(request.limit, 'limit') ?? MAX_NODES, MAX_NODES);
  const page = { offset: count(request.offset, 'offset'), limit };
  return treeReport(await treeOf(conversation), conversation.recorder.leaf, page);
}

export async function branches({ main: { conversation } }: ControlContext): Promise<{ branches: Branch[] }> {
  const tree = await treeOf(conversation);
  return { branches: branchesOf(tree, conversation.recorder.leaf, await summariesOf(conversation)) };
}

/** Continues from another leaf, or from any other message. With `dry_run` nothing changes. */
export async function switchLeaf(
  { main: { conversation } }: ControlContext,
  request: ControlBody,
): Promise<SwitchLeafResult> {
  const wanted = stringField(request, 'leaf_uuid');
  if (wanted === undefined) throw invalidRequest('leaf_uuid', 'a string');
  const tree = await treeOf(conversation);
  const node = tree.nodes.get(conversation.anchors.entryOf(wanted));
  if (!node || node.isSidechain) {
    throw new ControlError(`No message of this session has the uuid ${wanted}; nothing was changed`, 'unknown_parent');
  }
  const dryRun = request.dry_run === true;
  const files = request.restore_files === true ? await restoreAt(conversation, tree, node, { dryRun }) : undefined;
  if (!dryRun) {
    await conversation.moveTo(node.id);
    await conversation.recorder.markLeaf(lastPromptOf(pathTo(tree, node.id)).slice(0, MAX_PROMPT));
  }
  return { leaf_uuid: node.id, ...(files && { files }) };
}

/** Enough of a prompt to recognise the branch by. */
const MAX_PROMPT = 200;

export async function forkSession(
  { main, services }: ControlContext,
  request: ControlBody,
): Promise<{ session_id: string }> {
  const { ids } = services.runtime;
  const from = { at: stringField(request, 'at_uuid'), title: stringField(request, 'title') };
  return { session_id: await forkConversation(main.conversation, { newId: () => ids.uuid(), ...from }) };
}

export async function renameSession(
  { main: { conversation }, services: { id } }: ControlContext,
  request: ControlBody,
): Promise<Record<string, never>> {
  const title = stringField(request, 'title')?.trim();
  if (!title) throw invalidRequest('title', 'a text');
  const meant = stringField(request, 'session_id');
  if (meant !== undefined && meant !== id) {
    throw new ControlError(`This is the session ${id}, not ${meant}: it was not renamed`, 'invalid_request');
  }
  await conversation.recorder.title(title);
  conversation.title.inForce = title;
  return {};
}

function treeOf({ transcript: { store, key } }: Conversation): Promise<Tree> {
  return readTree(store.load(key));
}

/** The summary of each branch, by its leaf. Where a leaf has several, the last one counts. */
async function summariesOf({ transcript: { store, key } }: Conversation): Promise<Map<string, string>> {
  const summaries = new Map<string, string>();
  for await (const item of store.load(key)) {
    if (!('entry' in item) || item.entry.type !== 'summary') continue;
    const leaf = stringField(item.entry, 'leafUuid');
    const summary = stringField(item.entry, 'summary');
    if (leaf !== undefined && summary !== undefined) summaries.set(leaf, summary);
  }
  return summaries;
}

function count(value: unknown, name: string): number | undefined {
  if (value === undefined) return undefined;
  if (Number.isInteger(value) && (value as number) >= 0) return value as number;
  throw invalidRequest(name, 'a whole number, 0 or above');
}
