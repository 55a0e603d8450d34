import { basename, join } from 'node:path';
import { instantOf } from '../sessions/entry-fields.ts';
import { sessionOfFile, subagentsFolder } from '../sessions/files/session-paths.ts';
import { promptLine } from '../sessions/prompt-line.ts';
import { type LeanSession, openLeanSession } from '../sessions/stored/lean-session.ts';
import { isShown, listSubagents, toMessage } from '../sessions/stored/messages.ts';
import { findMessage, type StoredSession, wholeHistory } from '../sessions/stored/stored-session.ts';
import { firstWords, shownLines } from '../sessions/terminal-text.ts';
import { activeLeaf, pathTo } from '../sessions/tree/build-tree.ts';
import { itemPieces, objectPieces } from '../sessions/views/export-json.ts';
import { exportMarkdown } from '../sessions/views/export-markdown.ts';
import { outlineOf } from '../sessions/views/outline.ts';
import { renderConversation } from '../sessions/views/render-conversation.ts';
import { drawTree, shownCost, shownTokens } from '../sessions/views/render-tree.ts';
import { segmentsOf, tokensIn, turnsIn } from '../sessions/views/segments.ts';
import { treeView } from '../sessions/views/tree-json.ts';
import type { Paint } from '../util/text/paint.ts';
import type { Entry } from '../wire/entries.ts';
import { shownConversation } from './shown-conversation.ts';

export { shortIds } from '../sessions/views/render-tree.ts';
export { firstWords, shownLines as printableLines, treeView };

export interface LineOptions {
  paint: Paint;
  /** Columns of the terminal. */
  width: number;
}

/** The drawn branches of a session, below a header about the whole session. */
export function treeLines(session: StoredSession, options: LineOptions & { messages: boolean }): string[] {
  const { paint } = options;
  const outline = outlineOf(session);
  const branches = segmentsOf(outline).filter(({ children }) => children.length === 0).length;
  const tokens = tokensIn(outline.steps);
  const details = [
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
    paint.dim(details.join(' · ')),
    '',
    ...drawTree(outline, { ...options, summaries: session.summaries }),
  ];
}

export interface BranchChoice {
  /** The end of a branch other than the active one, or a message to stop at. */
  leaf?: string | undefined;
  /** Includes messages that compactions have replaced. */
  full: boolean;
}

/** A conversation for reading in a terminal, in pieces. Throws `session_not_found` for an unknown message. */
export function conversationLines(
  session: LeanSession,
  { leaf, full, ...options }: LineOptions & BranchChoice & { everything: boolean },
): AsyncIterable<string[]> {
  const path = { entries: pathOf(session, { leaf, full }), whole: session.whole };
  return renderConversation(shownConversation(path), options);
}

/** Some entries of a session as lines, in pieces. */
export function entryLines(
  { whole }: LeanSession,
  entries: readonly Entry[],
  options: LineOptions & { everything: boolean },
): AsyncIterable<string[]> {
  return renderConversation(shownConversation({ entries, whole }), options);
}

export interface ExportChoice {
  leaf?: string | undefined;
  /** Every branch, not only the active one. */
  allBranches: boolean;
}

/** A session as a Markdown document, in paragraphs: its conversation from the very beginning, and its subagents. */
export async function* markdownOf(session: LeanSession, choice: ExportChoice): AsyncGenerator<string, void> {
  const { sessionId, tag, cwd, whole } = session;
  const branches = branchEnds(session, choice).map(({ leaf, active }) => ({
    heading: active ? 'Conversation' : `Branch up to ${leaf}`,
    path: { entries: wholeHistory(session.tree, leaf), whole },
  }));
  const agents = await openSubagents(session);
  try {
    const subagents = agents.map((own) => ({
      heading: `Subagent ${own.sessionId}`,
      path: { entries: pathOf(own, { full: true }), whole: own.whole },
    }));
    const sections = [...branches, ...subagents];
    const details: [string, string][] = [
      ...(tag === null ? [] : [['tag', tag] as [string, string]]),
      ...(cwd === null ? [] : [['directory', `\`${cwd}\``] as [string, string]]),
      ...periodOf(sections.flatMap(({ path }) => path.entries)),
      ...(session.costUsd === null ? [] : [['cost', shownCost(session.costUsd)] as [string, string]]),
    ];
    const shown = sections.map(({ heading, path }) => ({ heading, parts: shownConversation(path) }));
    yield* exportMarkdown({ sessionId, title: shownTitle(session, 200), details, sections: shown });
  } finally {
    for (const own of agents) await own.close();
  }
}

/** A session for programs, as pieces of JSON: messages as on the wire. */
export async function* jsonOf(session: LeanSession, choice: ExportChoice): AsyncGenerator<string, void> {
  const { sessionId, path, title, tag, cwd, costUsd } = session;
  const ownId = sessionOfFile(basename(path));
  async function* branches() {
    for (const { leaf, active } of branchEnds(session, choice)) {
      const values = messagesOn(session, leaf, ownId);
      yield { fields: { leaf_uuid: leaf, active }, name: 'messages', values };
    }
  }
  async function* subagents() {
    for (const agentId of listSubagents(path)) {
      const own = await openSubagent(path, agentId);
      try {
        const { leaf } = activeLeaf(own.tree);
        const values = messagesOn(own, leaf?.id ?? null, sessionOfFile(basename(own.path)));
        yield { fields: { agent_id: agentId }, name: 'messages', values };
      } finally {
        await own.close();
      }
    }
  }
  const fields = { session_id: sessionId, title, tag, cwd, cost_usd: costUsd };
  yield* objectPieces(fields, [
    { name: 'branches', items: itemPieces(branches()) },
    { name: 'subagents', items: itemPieces(subagents()) },
  ]);
}

async function* messagesOn(session: LeanSession, leaf: string | null, sessionId: string | null) {
  const entries = leaf === null ? [] : wholeHistory(session.tree, leaf);
  for (const entry of entries) if (isShown(entry, {})) yield toMessage(await session.whole(entry), sessionId);
}

async function openSubagents({ path }: LeanSession): Promise<LeanSession[]> {
  const opened: LeanSession[] = [];
  for (const agentId of listSubagents(path)) opened.push(await openSubagent(path, agentId));
  return opened;
}

function openSubagent(path: string, agentId: string): Promise<LeanSession> {
  return openLeanSession({ sessionId: agentId, path: join(subagentsFolder(path), `agent-${agentId}.jsonl`) });
}

/** The name of a session, as in a list: its title, else the last prompt of the active branch. */
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
  const steps = segmentsOf(outlineOf(session))
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
