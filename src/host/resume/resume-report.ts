import { lineIds, systemLine } from '../../agent/system-line.ts';
import { isConversation, isPrompt } from '../../sessions/entry-fields.ts';
import type { LeafChoice } from '../../sessions/tree/active-leaf.ts';
import { lineage } from '../../sessions/tree/checkpoint-entries.ts';
import type { Finding, Tree, TreeNode } from '../../sessions/tree/tree.ts';
import type { UnfinishedTurn } from '../../sessions/tree/unfinished-turn.ts';
import type { Runtime } from '../../util/runtime.ts';
import type { Entry } from '../../wire/entries.ts';
import type { ResumeReportMessage } from '../../wire/messages/heddle.ts';
import type { Message } from '../../wire/messages/index.ts';

/** What a resume reports about its file; `resumeLines` adds the ids. */
export type ResumeReport = Omit<ResumeReportMessage, 'type' | 'subtype' | 'uuid' | 'session_id'>;

/** A longer line would be hard to read. */
const MAX_DROPPED = 50;

/**
 * Reports what a reader of the file has to guess: repaired and lost entries, branches that no one decided against, and the
 * leaf that the latest timestamp would have chosen. Null: there is nothing to report.
 */
export function resumeReport(tree: Tree, choice: LeafChoice, path: readonly Entry[]): ResumeReport | null {
  const isGuess = choice.rule === 'file_order' && tree.leaves.length > 1;
  const dropped = [...tree.findings.map(ofFinding), ...(isGuess ? otherBranches(tree, choice) : [])];
  if (dropped.length === 0 && choice.byTimestamp === null) return null;
  return {
    leaf_uuid: choice.leaf?.id ?? null,
    restored: path.filter(({ type }) => type === 'user' || type === 'assistant').length,
    dropped: dropped.length > MAX_DROPPED ? [...dropped.slice(0, MAX_DROPPED), rest(dropped.length)] : dropped,
    ...(choice.byTimestamp && { latest_by_timestamp: choice.byTimestamp.id }),
  };
}

/** The report of a new session that was opened instead of a missing one. */
export function missingReport(reason: string): ResumeReport {
  return { leaf_uuid: null, restored: 0, dropped: [{ reason: `${reason}. A new session was started.` }] };
}

/** What the report of a resume needs of the stored session. */
interface ReadSession {
  report: ResumeReport | null;
  unfinished: UnfinishedTurn | null;
  leaf: string | null;
  path: readonly Entry[];
}

/** The report of a resume, with the turn that the host may continue. A launch that continues it needs no offer. */
export function withUnfinished(
  { report, unfinished, leaf, path }: ReadSession,
  { isContinued }: { isContinued: boolean },
): ResumeReport | null {
  if (unfinished === null || isContinued) return report;
  const plain = report ?? { leaf_uuid: leaf, restored: path.filter(isConversation).length, dropped: [] };
  return { ...plain, unfinished_turn: { prompt_uuid: unfinished.promptUuid } };
}

type Dropped = ResumeReport['dropped'][number];

function ofFinding(finding: Finding): Dropped {
  const { line } = finding;
  switch (finding.kind) {
    case 'damage':
      return { line, reason: `${finding.reason} (${finding.bytes} bytes)` };
    case 'duplicate':
      return { line, uuid: finding.uuid, reason: 'the same uuid as an earlier entry' };
    case 'missing_parent':
      return {
        line,
        uuid: finding.uuid,
        reason: `its parent ${finding.parentUuid} is not in the file: ${linked(finding)}`,
      };
    case 'cycle':
      return { line, uuid: finding.uuid, reason: `its ancestors lead back to itself: ${linked(finding)}` };
    case 'misplaced_result':
      return {
        line,
        uuid: finding.uuid,
        reason: `a result that hung elsewhere: it follows its call ${finding.linkedTo}`,
      };
    case 'lost_segment':
      return { line, uuid: finding.uuid, reason: `it keeps messages that are left out: ${finding.reason}` };
    case 'no_uuid':
      return { line, reason: `${finding.count} messages without a uuid, read in the order of the file` };
  }
}

function linked({ linkedTo }: { linkedTo: string | null }): string {
  return linkedTo === null ? 'it begins a branch of its own' : `it follows ${linkedTo}, by the order of the file`;
}

/**
 * Branches that leave the conversation with a prompt of their own: the model will not see these prompts. Branches that a
 * retry, a compaction or `/clear` left have no prompt, and are not listed.
 */
function otherBranches(tree: Tree, { leaf: chosen }: LeafChoice): Dropped[] {
  const active = new Set(chosen ? lineage(tree, chosen.id) : []);
  return tree.leaves.flatMap((leaf) => {
    const own: TreeNode[] = [];
    let node: TreeNode | null = leaf;
    for (; node && !active.has(node.id); node = node.parent) own.push(node);
    if (node === null || !own.some(({ entry }) => isPrompt(entry))) return [];
    return [{ uuid: leaf.id, reason: `the end of another branch, with ${own.length} entries of its own` }];
  });
}

function rest(count: number): Dropped {
  return { reason: `and ${count - MAX_DROPPED} more` };
}

export interface ResumedSession {
  sessionId: string;
  runtime: Runtime;
  transcript: { readonly report: ResumeReport | null; readonly path: readonly Entry[] };
  replayHistory: boolean;
}

/** The lines that a resumed session sends before its first turn: problems of its file, and its messages if the host wants them. */
export function* resumeLines(session: ResumedSession): Generator<Message, void> {
  const { sessionId, transcript, replayHistory } = session;
  if (transcript.report) {
    yield systemLine(lineIds(session), 'resume_report', transcript.report);
  }
  if (!replayHistory) return;
  for (const entry of transcript.path) if (isConversation(entry)) yield replayedLine(entry, sessionId);
}

/** A stored message as a line, with the uuid that it has on disk. */
export function replayedLine(entry: Entry, sessionId: string): Message {
  const { type, message, uuid, timestamp, isMeta, isCompactSummary, toolUseResult, error, origin } = entry;
  const common = { message, parent_tool_use_id: null, session_id: sessionId, uuid, timestamp };
  if (type === 'assistant') return { type, ...common, ...(error !== undefined && { error }) } as Message;
  const isSynthetic = isMeta === true || isCompactSummary === true;
  return {
    type: 'user',
    ...common,
    isReplay: true,
    ...(isSynthetic && { isSynthetic }),
    ...(isCompactSummary === true && { isCompactSummary }),
    ...(origin !== undefined && { origin }),
    ...(toolUseResult !== undefined && { tool_use_result: toolUseResult }),
  } as Message;
}
