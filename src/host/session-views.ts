import { join } from 'node:path';
import { conversationOf } from '../sessions/conversation.ts';
import { instantOf } from '../sessions/entry-fields.ts';
import { exportMarkdown } from '../sessions/export-markdown.ts';
import { subagentsFolder } from '../sessions/layout.ts';
import { getSessionMessages, getSubagentMessages, listSubagents } from '../sessions/messages.ts';
import { outlineOf } from '../sessions/outline.ts';
import { promptLine } from '../sessions/prompt-line.ts';
import { renderConversation } from '../sessions/render-conversation.ts';
import { drawTree, shownCost, shownTokens } from '../sessions/render-tree.ts';
import { firstWords, shownLines } from '../sessions/shown-text.ts';
import { findMessage, readStoredSession, type StoredSession, wholeHistory } from '../sessions/stored-session.ts';
import { stretchesOf, tokensIn, turnsIn } from '../sessions/stretches.ts';
import { activeLeaf, pathTo } from '../sessions/tree.ts';
import { treeView } from '../sessions/tree-view.ts';
import type { Paint } from '../util/paint.ts';
import type { Entry } from '../wire/entries.ts';

export { shortIds } from '../sessions/short-ids.ts';
export { firstWords, shownLines as printableLines, treeView };

export interface LineOptions {
  paint: Paint;
  /** Columns of the terminal. */
  width: number;
}

/** The branches of a session, drawn; above them what there is to say about all of it. */
export function treeLines(session: StoredSession, options: LineOptions & { messages: boolean }): string[] {
  const { paint } = options;
  const outline = outlineOf(session);
  const branches = stretchesOf(outline).filter(({ children }) => children.length === 0).length;
  const tokens = tokensIn(outline.steps);
  const facts = [
    counted(branches, 'branch', 'branches'),
    counted(turnsIn(outline.steps), 'turn', 'turns'),
    ...(session.costUsd === null ? [] : [shownCost(session.costUsd)]),
    ...(session.costUsd === null && tokens ? [shownTokens(tokens)] : []),
    ...(session.tree.findings.length > 0
      ? [counted(session.tree.findings.length, 'damaged place', 'damaged places')]
      : []),
  ];
  return [
    `${paint.bold(shownTitle(session))}  ${paint.dim(session.sessionId)}`,
    paint.dim(facts.join(' · ')),
    '',
    ...drawTree(outline, { ...options, summaries: session.summaries }),
  ];
}

export interface BranchChoice {
  /** The end of another branch than the active one, or a message to stop at. */
  leaf?: string | undefined;
  /** What compactions have replaced, too. */
  full: boolean;
}

/** A conversation for reading in a terminal. Throws `session_not_found` for a message that is not there. */
export function conversationLines(
  session: StoredSession,
  { leaf, full, ...options }: LineOptions & BranchChoice & { everything: boolean },
): string[] {
  return renderConversation(conversationOf(pathOf(session, { leaf, full })), options);
}

export interface ExportChoice {
  leaf?: string | undefined;
  /** Every branch, not only the one that goes on. */
  allBranches: boolean;
}

/** A session as a Markdown document: its conversation from the very beginning, and its subagents. */
export async function markdownOf(session: StoredSession, choice: ExportChoice): Promise<string> {
  const { sessionId, tag, cwd, path } = session;
  const branches = branchEnds(session, choice).map(({ leaf, active }) => ({
    heading: active ? 'Conversation' : `Branch up to ${leaf}`,
    path: wholeHistory(session.tree, leaf),
  }));
  const subagents: { heading: string; path: Entry[] }[] = [];
  for (const agentId of listSubagents(path)) {
    const file = join(subagentsFolder(path), `agent-${agentId}.jsonl`);
    const own = await readStoredSession({ sessionId: agentId, path: file });
    subagents.push({ heading: `Subagent ${agentId}`, path: pathOf(own, { full: true }) });
  }
  const sections = [...branches, ...subagents];
  const facts: [string, string][] = [
    ...(tag === null ? [] : [['tag', tag] as [string, string]]),
    ...(cwd === null ? [] : [['directory', `\`${cwd}\``] as [string, string]]),
    ...periodOf(sections.flatMap((section) => section.path)),
    ...(session.costUsd === null ? [] : [['cost', shownCost(session.costUsd)] as [string, string]]),
  ];
  return exportMarkdown({ sessionId, title: shownTitle(session, 200), facts, sections });
}

/** A session for programs: messages as on the wire. */
export async function jsonOf(session: StoredSession, choice: ExportChoice): Promise<object> {
  const { sessionId, path, title, tag, cwd, costUsd } = session;
  const branches: object[] = [];
  for (const { leaf, active } of branchEnds(session, choice)) {
    const messages = await getSessionMessages(path, { upToMessageId: leaf, includeCompacted: true });
    branches.push({ leaf_uuid: leaf, active, messages });
  }
  const subagents: object[] = [];
  for (const agentId of listSubagents(path)) {
    const messages = await getSubagentMessages(path, agentId, { includeCompacted: true });
    subagents.push({ agent_id: agentId, messages });
  }
  return { session_id: sessionId, title, tag, cwd, cost_usd: costUsd, branches, subagents };
}

/** What a session is called, as in a list: its title, else the last prompt of the branch that goes on. */
function shownTitle(session: StoredSession, width = 80): string {
  if (session.title !== null) return firstWords(session.title, width);
  const asked = pathOf(session, { full: true }).findLast((entry) => promptLine(entry) !== undefined);
  return firstWords((asked && promptLine(asked)) ?? session.sessionId, width);
}

function pathOf(session: StoredSession, { leaf, full }: BranchChoice): Entry[] {
  const end = leaf === undefined ? activeLeaf(session.tree).leaf : findMessage(session, leaf);
  if (!end) return [];
  return full ? wholeHistory(session.tree, end.id) : pathTo(session.tree, end.id);
}

/** The branches to export, the active one first. */
function branchEnds(session: StoredSession, { leaf, allBranches }: ExportChoice): { leaf: string; active: boolean }[] {
  const { leaf: active } = activeLeaf(session.tree);
  const end = leaf === undefined ? active : findMessage(session, leaf);
  const chosen = end ? [{ leaf: end.id, active: end === active }] : [];
  if (!allBranches) return chosen;
  const steps = stretchesOf(outlineOf(session))
    .filter(({ children, steps: own }) => children.length === 0 && !own.at(-1)?.ids.has(end?.id ?? ''))
    .flatMap(({ steps: own }) => own.at(-1) ?? []);
  return [...chosen, ...steps.map(({ id }) => ({ leaf: id, active: false }))];
}

function periodOf(entries: readonly Entry[]): [string, string][] {
  const times = entries.map(instantOf).filter((at) => at > 0);
  if (times.length === 0) return [];
  const at = (time: number) => new Date(time).toISOString();
  const [first, last] = [times.reduce((a, b) => Math.min(a, b)), times.reduce((a, b) => Math.max(a, b))];
  return [['time', `${at(first)} to ${at(last)}`]];
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}
