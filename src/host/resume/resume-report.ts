import { isPrompt } from '../sessions/entry-fields.ts';
import { lineage } from '../sessions/file-history.ts';
import type { LeafChoice } from '../sessions/leaf.ts';
import type { Finding, Tree, TreeNode } from '../sessions/tree-model.ts';
import type { Entry } from '../wire/entries.ts';
import type { ResumeReportMessage } from '../wire/messages/heddle.ts';

/** What a resume has to say for itself; the ids are added with the line. */
export type ResumeReport = Omit<ResumeReportMessage, 'type' | 'subtype' | 'uuid' | 'session_id'>;

/** More than this would make a line that nobody reads. */
const MAX_DROPPED = 50;

/**
 * What the file did not give plainly: places that were repaired or lost, branches that nobody chose against, and where
 * the oldest rule would have gone on (rulings K15, K21). Null when there is nothing to tell.
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

/** A session that was asked for is not there, and another one was begun in its place. */
export function missingReport(reason: string): ResumeReport {
  return { leaf_uuid: null, restored: 0, dropped: [{ reason: `${reason}. A new session was started.` }] };
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
 * Branches that leave the conversation with a prompt of their own: somebody said something there that the model will not
 * see. What a retry, a compaction or `/clear` left behind is no such thing.
 */
function otherBranches(tree: Tree, { leaf: chosen }: LeafChoice): Dropped[] {
  const kept = new Set(chosen ? lineage(tree, chosen.id) : []);
  return tree.leaves.flatMap((leaf) => {
    const own: TreeNode[] = [];
    let node: TreeNode | null = leaf;
    for (; node && !kept.has(node.id); node = node.parent) own.push(node);
    if (node === null || !own.some(({ entry }) => isPrompt(entry))) return [];
    return [{ uuid: leaf.id, reason: `the end of another branch, with ${own.length} entries of its own` }];
  });
}

function rest(count: number): Dropped {
  return { reason: `and ${count - MAX_DROPPED} more` };
}
