import type { Attachment } from '../agent/attachment.ts';
import type { LedgerState } from '../agent/ledger.ts';
import type { ApiMessage } from '../model/model.ts';
import { type DeferredCall, deferredCalls } from '../sessions/deferred-calls.ts';
import { checkDroppedTurn } from '../sessions/dropped-turn.ts';
import { lineage } from '../sessions/file-history.ts';
import { nodeNamed } from '../sessions/named-node.ts';
import type { PlainSession } from '../sessions/plain-session.ts';
import { type UnpairedCall, unpairedToolCalls } from '../sessions/repair.ts';
import { toApiMessages } from '../sessions/replay.ts';
import type { SessionKey, SessionStore } from '../sessions/store.ts';
import { wholeHistory } from '../sessions/stored-session.ts';
import { activeLeaf, pathTo, type Tree } from '../sessions/tree.ts';
import { isObject, stringField } from '../util/json.ts';
import type { Logger } from '../util/runtime.ts';
import type { Entry } from '../wire/entries.ts';
import type { PastCheckpoints } from './checkpoints.ts';
import { type ResumeReport, resumeReport } from './resume-report.ts';
import { type ReadOptions, readRecent, readWhole, type StoredConversation } from './stored-conversation.ts';

/** What a stored session holds that a new process needs to go on. */
export interface Past {
  path: Entry[];
  /** The uuids of the conversation: a message that carries one of them is no new message. */
  uuids: string[];
  /** Where the conversation goes on. */
  leaf: string | null;
  costState: LedgerState | null;
  /** What the runtime has told the model of its own accord. */
  reminders: Attachment[];
  lastTokens: number;
  /** When the last answer was given; null when there is none, or it does not tell. */
  answeredAt: number | null;
  planName: string | null;
  /** Calls without a result. */
  unpaired: UnpairedCall[];
  /** Calls that a hook had left to someone outside when the session was left. */
  deferred: DeferredCall[];
  /** The permission mode that was last changed to; null when it never was. */
  lastMode: string | null;
  /** The title that the session was last given; null: none. */
  title: string | null;
  /** What the file did not give plainly; null when all is well. */
  report: ResumeReport | null;
  /** The conversation, with what was appended to the path since. */
  messages(appended: readonly Entry[]): ApiMessage[];
  /** What compactions have replaced, if it mentions this word at all. Most sessions are not read so far back. */
  earlier(word: string): Promise<ApiMessage[]>;
  /** Its file checkpoints. */
  checkpoints(): Promise<PastCheckpoints>;
}

export interface PastReading extends ReadOptions {
  /** The message to go on from; undefined for the active leaf. */
  at: string | undefined;
  /** The prompt whose turn, and nothing else, that may leave behind. */
  drops?: string | undefined;
}

/**
 * Reads a session up to its active leaf, or to the message that was asked for; of one that was compacted only what came
 * since, where that is enough. Rejects with `session_not_found` for a message that is not there, and with
 * `resume_rejected` when more than the turn `drops` would be left behind.
 */
export async function readPast(
  store: SessionStore,
  key: SessionKey,
  { at, drops, log, lean }: PastReading & { log: Logger },
): Promise<Past> {
  const recent = drops === undefined ? await readRecent(store, key, at) : null;
  const stored = recent?.conversation ?? (await readWhole(store, key, { lean }));
  if (at !== undefined && drops !== undefined) checkDroppedTurn(stored.tree, { at, turn: drops });
  const { costState, lastMode, title } = stored;
  const isAll = recent === null;
  const way =
    at === undefined && stored.plain ? plainWay(stored.plain, { isAll }) : wayInTree(stored.tree, { key, at, log });
  const { path } = way;
  // Of a whole session it is taken at once: to take it later, all of the tree would have to be kept.
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

/** The conversation in a stored session. */
interface Way {
  path: Entry[];
  /** The entry that it ends in. */
  leaf: Entry | undefined;
  /** What the tree calls that entry. */
  leafId: string | undefined;
  unpaired: UnpairedCall[];
  lastTokens: number;
  report: ResumeReport | null;
  /** Whether it is known to be all that the session holds. */
  isAll: boolean;
}

function wayInTree(tree: Tree, { key, at, log }: { key: SessionKey; at: string | undefined; log: Logger }): Way {
  reportFindings(log, tree, key);
  const choice = activeLeaf(tree, at === undefined ? undefined : nodeNamed(tree, at).id);
  const { leaf } = choice;
  const path = leaf ? pathTo(tree, leaf.id) : [];
  const isKept = keptOnPath(tree, path);
  return {
    path,
    leaf: leaf?.entry,
    leafId: leaf?.id,
    // A result for a call that was kept would hang before the boundary; each request answers it.
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

/** Which uuids are of messages that the compaction at the beginning of the path has kept from before it. */
function keptOnPath(tree: Tree, [first]: readonly Entry[]): (uuid: unknown) => boolean {
  const boundary = tree.nodes.get(stringField(first, 'uuid') ?? '');
  const uuids = new Set<unknown>(boundary && tree.kept.get(boundary)?.nodes.map(({ id }) => id));
  return (uuid) => uuids.has(uuid);
}

interface RestOfPast {
  earlier: Entry[];
  checkpoints: PastCheckpoints;
}

/** What a session goes on without, unless it is asked for. */
function restOf(stored: StoredConversation, { sessionId }: SessionKey, way: Way): RestOfPast {
  const { snapshots } = stored;
  return {
    earlier: beforeCompactions(stored, way),
    checkpoints: { sessionId, entries: snapshots, messages: snapshots.length > 0 ? lineageOf(stored, way) : [] },
  };
}

/** What the compactions of a path stand for. */
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

/** Of the last answer on the path, as far as its entry tells. */
function lastTokens(path: readonly Entry[]): number {
  const answer = path.findLast(({ type, isApiErrorMessage }) => type === 'assistant' && isApiErrorMessage !== true);
  const usage = isObject(answer?.message) && isObject(answer.message.usage) ? answer.message.usage : {};
  const counts = ['input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens', 'output_tokens'];
  return counts.reduce((sum, name) => sum + (typeof usage[name] === 'number' ? usage[name] : 0), 0);
}

/** Damage is repaired for this run and said aloud; the file itself stays as it is. */
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
