import type { Attachment } from '../../agent/attachment.ts';
import type { LedgerState } from '../../agent/ledger.ts';
import type { ApiMessage } from '../../model/model.ts';
import type { PlainSession } from '../../sessions/replay/plain-conversation.ts';
import { toApiMessages } from '../../sessions/replay/replay.ts';
import type { SessionKey, SessionStore } from '../../sessions/store.ts';
import { checkDroppedTurn } from '../../sessions/stored/check-dropped-turn.ts';
import { wholeHistory } from '../../sessions/stored/stored-session.ts';
import { activeLeaf, pathTo, type Tree } from '../../sessions/tree/build-tree.ts';
import type { StoredCheckpoints } from '../../sessions/tree/checkpoint-entries.ts';
import { lineage } from '../../sessions/tree/checkpoint-entries.ts';
import { type DeferredCall, deferredCalls } from '../../sessions/tree/deferred-calls.ts';
import { nodeNamed } from '../../sessions/tree/find-node.ts';
import { type UnpairedCall, unpairedToolCalls } from '../../sessions/tree/repair-calls.ts';
import { type UnfinishedTurn, unfinishedTurn } from '../../sessions/tree/unfinished-turn.ts';
import { isObject, stringField } from '../../util/json.ts';
import type { Logger } from '../../util/runtime.ts';
import type { Entry } from '../../wire/entries.ts';
import { type ReadOptions, readRecent, readWhole, type StoredConversation } from './read-conversation.ts';
import { type ResumeReport, resumeReport } from './resume-report.ts';

export { settleCalls } from './settle-calls.ts';

/** What a stored session holds for the process that resumes it. */
export interface StoredHistory {
  path: Entry[];
  /** The uuids of the conversation: a message with one of them is not new. */
  uuids: string[];
  /** The entry that the next message follows. */
  leaf: string | null;
  costState: LedgerState | null;
  /** The reminders that the model has. */
  reminders: Attachment[];
  lastTokens: number;
  /** The time of the last answer; null: unknown, or there is none. */
  answeredAt: number | null;
  planName: string | null;
  /** Calls without a result. */
  unpaired: UnpairedCall[];
  /** Calls that a hook had deferred when the session was left. */
  deferred: DeferredCall[];
  /** The turn that was left without its end; null: the last one is complete. */
  unfinished: UnfinishedTurn | null;
  /** The last permission mode that was set; null: none was. */
  lastMode: string | null;
  /** The last title; null: none. */
  title: string | null;
  /** Problems of the file; null: none. */
  report: ResumeReport | null;
  /** The conversation, with the entries that were appended since. */
  messages(appended: readonly Entry[]): ApiMessage[];
  /**
   * The messages that compactions have replaced; empty unless one of them contains this word. Most sessions are not
   * read so far back.
   */
  earlier(word: string): Promise<ApiMessage[]>;
  /** The file checkpoints of the session. */
  checkpoints(): Promise<StoredCheckpoints>;
}

export interface HistoryOptions extends ReadOptions {
  /** The message to continue from; undefined: the active leaf. */
  at: string | undefined;
  /** The prompt of the only turn that may be dropped. */
  drops?: string | undefined;
}

/**
 * Reads a session up to its active leaf or the given message, of a compacted one only the part since the compaction if
 * that is enough. Rejects with `session_not_found` for an unknown message, and with `resume_rejected` when more than
 * the turn `drops` would be dropped.
 */
export async function readHistory(
  store: SessionStore,
  key: SessionKey,
  { at, drops, log, lean }: HistoryOptions & { log: Logger },
): Promise<StoredHistory> {
  const recent = drops === undefined ? await readRecent(store, key, at) : null;
  const stored = recent?.conversation ?? (await readWhole(store, key, { lean }));
  if (at !== undefined && drops !== undefined) checkDroppedTurn(stored.tree, { at, turn: drops });
  const { costState, lastMode, title } = stored;
  const isAll = recent === null;
  const way =
    at === undefined && stored.plain ? plainWay(stored.plain, { isAll }) : wayInTree(stored.tree, { key, at, log });
  const { path } = way;
  // Taken now from a whole session: later, the whole tree would have to stay in memory.
  const known = isAll ? restOf(stored, key, way) : null;
  const rest = async () => known ?? restOf(await readWhole(store, key, { lean: true }), key, way);
  return {
    path,
    uuids: uuidsOf(path),
    leaf: stringField(way.leaf, 'uuid') ?? null,
    costState,
    reminders: remindersOn(path),
    lastTokens: way.lastTokens,
    answeredAt: answeredAt(path),
    planName:
      stringField(
        path.findLast((entry) => typeof entry.slug === 'string'),
        'slug',
      ) ?? null,
    unpaired: way.unpaired,
    deferred: deferredCalls(path),
    unfinished: unfinishedTurn(path),
    lastMode,
    title,
    report: way.report,
    messages: (appended) => toApiMessages([...path, ...appended]),
    async earlier(word) {
      if (recent && !(await recent.part.mentionedBefore(JSON.stringify(word)))) return [];
      return toApiMessages((await rest()).earlier);
    },
    checkpoints: async () => (await rest()).checkpoints,
  };
}

/** The active branch of a stored session. */
interface Way {
  path: Entry[];
  /** The last entry of the branch. */
  leaf: Entry | undefined;
  /** The node of that entry in the tree. */
  leafId: string | undefined;
  unpaired: UnpairedCall[];
  lastTokens: number;
  report: ResumeReport | null;
  /** Whether the session is known to hold nothing else. */
  isAll: boolean;
}

function wayInTree(tree: Tree, { key, at, log }: { key: SessionKey; at: string | undefined; log: Logger }): Way {
  reportFindings(log, tree, key);
  const choice = activeLeaf(tree, at === undefined ? undefined : nodeNamed(tree, at).id);
  const { leaf } = choice;
  const path = leaf ? pathTo(tree, leaf.id) : [];
  const isKept = retainedOnPath(tree, path);
  return {
    path,
    leaf: leaf?.entry,
    leafId: leaf?.id,
    // A result for a retained call would stand before the boundary; each request adds it.
    unpaired: unpairedToolCalls(path).filter(({ assistantUuid }) => !isKept(assistantUuid)),
    lastTokens: lastTokens(path.filter(({ uuid }) => !isKept(uuid))),
    report: resumeReport(tree, choice, path),
    isAll: false,
  };
}

function plainWay({ path, isSettled }: PlainSession, { isAll }: { isAll: boolean }): Way {
  const leaf = path.at(-1);
  const unpaired = isSettled ? [] : unpairedToolCalls(path);
  const leafId = stringField(leaf, 'uuid');
  return { path, leaf, leafId, unpaired, lastTokens: lastTokens(path), report: null, isAll };
}

/** The uuids of the messages that the compaction at the beginning of the path has retained. */
function retainedOnPath(tree: Tree, [first]: readonly Entry[]): (uuid: unknown) => boolean {
  const boundary = tree.nodes.get(stringField(first, 'uuid') ?? '');
  const uuids = new Set<unknown>(boundary && tree.retained.get(boundary)?.nodes.map(({ id }) => id));
  return (uuid) => uuids.has(uuid);
}

interface RestOfHistory {
  earlier: Entry[];
  checkpoints: StoredCheckpoints;
}

/** The parts of a stored session that are read only on request. */
function restOf(stored: StoredConversation, { sessionId }: SessionKey, way: Way): RestOfHistory {
  const { snapshots } = stored;
  return {
    earlier: beforeCompactions(stored, way),
    checkpoints: { sessionId, entries: snapshots, messages: snapshots.length > 0 ? lineageOf(stored, way) : [] },
  };
}

/** The messages that the compactions of a path replace. */
function beforeCompactions(stored: StoredConversation, { path }: Way): Entry[] {
  const replaced = stringField(path[0], 'logicalParentUuid');
  return replaced === undefined ? [] : wholeHistory(stored.tree, replaced);
}

function lineageOf(stored: StoredConversation, { path, leafId, isAll }: Way): string[] {
  if (isAll) return uuidsOf(path);
  return leafId === undefined ? [] : lineage(stored.tree, leafId);
}

function uuidsOf(path: readonly Entry[]): string[] {
  const uuids: string[] = [];
  for (const { uuid } of path) if (typeof uuid === 'string') uuids.push(uuid);
  return uuids;
}

/** The time of the last answer on the path, if its entry has one. */
function lastTokens(path: readonly Entry[]): number {
  const answer = path.findLast(({ type, isApiErrorMessage }) => type === 'assistant' && isApiErrorMessage !== true);
  const usage = isObject(answer?.message) && isObject(answer.message.usage) ? answer.message.usage : {};
  const counts = ['input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens', 'output_tokens'];
  return counts.reduce((sum, name) => sum + (typeof usage[name] === 'number' ? usage[name] : 0), 0);
}

/** Damage is repaired for this run and logged; the file itself does not change. */
function reportFindings(log: Logger, tree: Tree, { sessionId }: SessionKey): void {
  if (tree.findings.length === 0) return;
  const kinds = [...new Set(tree.findings.map((finding) => finding.kind))].join(', ');
  log(
    'warn',
    `Session ${sessionId} has ${tree.findings.length} damaged places (${kinds}); what could be read was restored`,
    {
      findings: tree.findings.slice(0, 20),
    },
  );
}

const REMINDERS: ReadonlySet<unknown> = new Set([
  'environment',
  'memory',
  'skill_listing',
  'mcp_instructions',
  'plan_mode',
  'agent_memory',
]);

function remindersOn(path: readonly Entry[]): Attachment[] {
  const attached = path.filter(({ type }) => type === 'attachment');
  return attached.flatMap(({ attachment }) => {
    const isReminder = isObject(attachment) && REMINDERS.has(attachment.type);
    return isReminder && typeof attachment.content === 'string' ? [attachment as Attachment] : [];
  });
}

function answeredAt(path: readonly Entry[]): number | null {
  const time = Date.parse(String(path.findLast(({ type }) => type === 'assistant')?.timestamp));
  return Number.isNaN(time) ? null : time;
}
