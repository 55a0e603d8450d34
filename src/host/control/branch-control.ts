import { isConversation } from '../../sessions/entry-fields.ts';
import { wholeHistory } from '../../sessions/stored/stored-session.ts';
import { branchesOf, lastPromptOf, MAX_NODES, sessionTree as treeReport } from '../../sessions/stored/tree-pages.ts';
import { pathTo, type Tree } from '../../sessions/tree/build-tree.ts';
import type { TreeNode } from '../../sessions/tree/tree.ts';
import { stringField } from '../../util/json.ts';
import type { Branch, SessionMessagesPage, SessionTree, SwitchLeafResult } from '../../wire/control/index.ts';
import type { Entry } from '../../wire/entries.ts';
import { ControlError } from '../../wire/errors.ts';
import type { ControlBody } from '../../wire/link/peer.ts';
import type { Message } from '../../wire/messages/index.ts';
import { restoreAt } from '../checkpoints/restore-files.ts';
import type { Conversation } from '../conversation/conversation.ts';
import { forkConversation } from '../conversation/fork-conversation.ts';
import { StoredTree } from '../conversation/stored-tree.ts';
import { replayedLine } from '../resume/resume-report.ts';
import { type ControlContext, invalidRequest } from './control-handler.ts';

/** The requests about the tree of a running session. They read the stored session, because that is the truth. */

export async function sessionTree(context: ControlContext, request: ControlBody): Promise<SessionTree> {
  const { conversation } = context.main;
  const limit = Math.min(count(request.limit, 'limit') ?? MAX_NODES, MAX_NODES);
  const page = { offset: count(request.offset, 'offset'), limit };
  return treeReport(await treeOf(context), conversation.leaf, page);
}

export async function branches(context: ControlContext): Promise<{ branches: Branch[] }> {
  const { conversation } = context.main;
  const tree = await treeOf(context);
  return { branches: branchesOf(tree, conversation.leaf, await summariesOf(conversation)) };
}

/**
 * `session_messages`: the messages of a branch from its very beginning, also those that compactions have replaced, in
 * pages from its end. A page is as long as a line may be.
 */
export async function sessionMessages(context: ControlContext, request: ControlBody): Promise<SessionMessagesPage> {
  const { conversation } = context.main;
  const limit = Math.min(count(request.limit, 'limit') ?? DEFAULT_MESSAGES, MAX_MESSAGES);
  const tree = await treeOf(context);
  const leaf = optionalText(request, 'leaf_uuid') ?? conversation.leaf;
  const all = leaf === null ? [] : wholeHistory(tree, nodeOf(conversation, tree, leaf).id).filter(isConversation);
  const before = optionalText(request, 'before');
  const end = before === undefined ? all.length : positionOf(all, conversation.anchors.entryOf(before), before);
  const messages: Message[] = [];
  let size = 0;
  for (let at = end - 1; at >= 0 && messages.length < limit; at--) {
    const line = replayedLine(all[at] as Entry, context.services.id);
    size += JSON.stringify(line).length;
    if (size > MAX_PAGE && messages.length > 0) break;
    messages.unshift(line);
  }
  const first = all[end - messages.length];
  const hasMore = messages.length < end && typeof first?.uuid === 'string';
  return { messages, total: all.length, ...(hasMore && { before: String(first.uuid) }) };
}

const DEFAULT_MESSAGES = 100;
const MAX_MESSAGES = 500;
/** Other SDKs refuse longer lines. One message that is longer is sent alone. */
const MAX_PAGE = 800_000;

function positionOf(entries: readonly Entry[], uuid: string, asked: string): number {
  const at = entries.findIndex((entry) => entry.uuid === uuid);
  if (at >= 0) return at;
  throw new ControlError(`No message of this branch has the uuid ${asked}`, 'unknown_parent');
}

function optionalText(request: ControlBody, name: string): string | undefined {
  const value = request[name];
  if (value !== undefined && typeof value !== 'string') throw invalidRequest(name, 'a string');
  return value;
}

/** Continues from another leaf, or from any other message. With `dry_run` nothing changes. */
export async function switchLeaf(context: ControlContext, request: ControlBody): Promise<SwitchLeafResult> {
  const { conversation } = context.main;
  const wanted = stringField(request, 'leaf_uuid');
  if (wanted === undefined) throw invalidRequest('leaf_uuid', 'a string');
  const tree = await treeOf(context);
  const node = nodeOf(conversation, tree, wanted);
  const dryRun = request.dry_run === true;
  const files = request.restore_files === true ? await restoreAt(conversation, tree, node, { dryRun }) : undefined;
  if (!dryRun) {
    await conversation.moveTo(node.id, lastPromptOf(pathTo(tree, node.id)).slice(0, MAX_PROMPT));
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
  await conversation.title.record(title);
  return {};
}

function nodeOf({ anchors }: Conversation, tree: Tree, wanted: string): TreeNode {
  const node = tree.nodes.get(anchors.entryOf(wanted));
  if (node && !node.isSidechain) return node;
  throw new ControlError(`No message of this session has the uuid ${wanted}; nothing was changed`, 'unknown_parent');
}

function treeOf({ main: { conversation }, stored }: ControlContext): Promise<Tree> {
  stored.tree ??= new StoredTree();
  return stored.tree.read(conversation);
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
