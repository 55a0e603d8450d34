import { pathTo, readTree, type Tree } from '../sessions/tree.ts';
import { branchesOf, lastPromptOf, MAX_NODES, sessionTree as treeReport } from '../sessions/tree-report.ts';
import { stringField } from '../util/json.ts';
import type { Branch, SessionTree, SwitchLeafResult } from '../wire/control/index.ts';
import type { Entry } from '../wire/entries.ts';
import { ControlError } from '../wire/errors.ts';
import type { ControlBody } from '../wire/peer.ts';
import { goOnFrom } from './branches.ts';
import type { Parts } from './parts.ts';
import { restoreAt } from './restore-files.ts';

/** The requests about the tree of a running session. The file is read anew for each: it is the truth. */

export async function sessionTree(parts: Parts, request: ControlBody): Promise<SessionTree> {
  const limit = Math.min(count(request.limit, 'limit') ?? MAX_NODES, MAX_NODES);
  const page = { offset: count(request.offset, 'offset'), limit };
  return treeReport(await treeOf(parts), parts.recorder.leaf, page);
}

export async function branches(parts: Parts): Promise<{ branches: Branch[] }> {
  return { branches: branchesOf(await treeOf(parts), parts.recorder.leaf, await summariesOf(parts)) };
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
  const files = request.restore_files === true ? await restoreAt(parts, tree, node, { dryRun }) : undefined;
  if (!dryRun) {
    await goOnFrom(parts, node.id);
    await parts.recorder.markLeaf(lastPromptOf(pathTo(tree, node.id)).slice(0, MAX_PROMPT));
  }
  return { leaf_uuid: node.id, ...(files && { files }) };
}

/** Enough to recognise it by. */
const MAX_PROMPT = 200;

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
  const meant = stringField(request, 'session_id');
  if (meant !== undefined && meant !== parts.sessionId) {
    throw new ControlError(
      `This is the session ${parts.sessionId}, not ${meant}: it was not renamed`,
      'invalid_request',
    );
  }
  await parts.recorder.title(title);
  parts.titleInForce = title;
  return {};
}

function treeOf({ transcript: { store, key } }: Parts): Promise<Tree> {
  return readTree(store.load(key));
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

function count(value: unknown, name: string): number | undefined {
  if (value === undefined) return undefined;
  if (Number.isInteger(value) && (value as number) >= 0) return value as number;
  throw new ControlError(`request.${name} must be a whole number, 0 or above`, 'invalid_request');
}
