import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { agentMetaOf } from '../../sessions/files/agent-meta.ts';
import { subagentsFolder } from '../../sessions/files/session-paths.ts';
import { makeRows } from '../../sessions/indexed/make-rows.ts';
import type { Row } from '../../sessions/indexed/row.ts';
import { SessionIndex } from '../../sessions/indexed/session-index.ts';
import { listSubagents } from '../../sessions/stored/messages.ts';
import { findMessage, storedSession, wholeHistory } from '../../sessions/stored/stored-session.ts';
import { activeLeaf } from '../../sessions/tree/build-tree.ts';
import { isObject } from '../../util/json.ts';
import type { Entry } from '../../wire/entries.ts';

export interface HtmlChoice {
  /** The branch up to this message instead of the active one. */
  leaf?: string | undefined;
  allBranches: boolean;
  /** Without what tools have found and printed. */
  noOutputs: boolean;
  /** Applied to every text. */
  redact: <T>(value: T) => T;
}

/** The page, as the build has made it. */
export interface PageText {
  script: string;
  style: string;
  notices: string;
}

const PIECE = 400_000;
const compress = promisify(gzip);

/**
 * A session as one HTML file that needs no network: the page itself, and the entries in pieces that it opens when they are
 * needed. The pieces are no scripts and no markup; the policy of the file names the one script by its digest.
 */
export async function* htmlOf(
  found: { sessionId: string; path: string },
  { script, style, notices }: PageText,
  choice: HtmlChoice,
): AsyncGenerator<string, void> {
  // `<!--` in a script begins what HTML reads in another way.
  const code = script.replaceAll('<!--', '<\\!--');
  const session = await transcriptOf(found, choice);
  yield headOf(session.page.title ?? found.sessionId, code, style);
  const pieces: Record<string, number[]> = {};
  pieces[''] = yield* entryPieces('', session);
  const agents = [];
  const agentPages: Record<string, unknown> = {};
  for (const id of listSubagents(found.path)) {
    const path = join(subagentsFolder(found.path), `agent-${id}.jsonl`);
    const { toolUseId, parentAgentId, agentType, description } = choice.redact(agentMetaOf(path));
    const own = await transcriptOf({ sessionId: id, path }, { ...choice, leaf: undefined, allBranches: true });
    agents.push({ id, call: toolUseId, parent: parentAgentId, kind: agentType, description, bytes: 0 });
    agentPages[id] = own.page;
    pieces[id] = yield* entryPieces(id, own);
  }
  const head = { id: found.sessionId, page: session.page, agents, agentPages, pieces };
  yield await dataBlock('heddle-head', head);
  yield await dataBlock('heddle-notices', notices);
  yield `<div id="page"></div>\n<noscript>This file shows a session with JavaScript.</noscript>\n<script>${code}</script>\n</body>\n</html>\n`;
}

interface HtmlTranscript {
  page: { rows: Row[]; title: string | null } & Record<string, unknown>;
  /** The entries of the rows, one after the other. */
  whole(row: number): Promise<Entry>;
}

async function transcriptOf(found: { sessionId: string; path: string }, choice: HtmlChoice): Promise<HtmlTranscript> {
  const index = new SessionIndex(found);
  await index.refresh();
  const { tree, loaded } = index.session;
  const shown = (entry: Entry) => choice.redact(choice.noOutputs ? withoutOutputs(entry) : entry);
  // Rows are made of what is shown, so that no short text tells what a long one must not.
  const session = storedSession(
    found,
    loaded.map((item) => ('entry' in item ? { ...item, entry: shown(item.entry) } : item)),
  );
  const { rows, leaf, problems, summaries } = makeRows(session);
  const nodes = [...tree.nodes.values()];
  const kept = choice.allBranches ? null : branchOf(index, choice.leaf);
  const numbers = new Map<number, number>();
  for (const [n, node] of nodes.entries()) if (kept === null || kept.has(node.entry)) numbers.set(n, numbers.size);
  const end = kept === null ? leaf : [...numbers.keys()].at(-1);
  const renumbered = rows.flatMap((row) => (numbers.has(row.n) ? [renumber(row, numbers)] : []));
  const originals = [...numbers.keys()].map((n) => nodes[n]?.entry);
  const { title, tag, cwd, costUsd } = session;
  return {
    page: {
      ...{ life: 0, version: 1, total: renumbered.length, title, tag, cwd, costUsd, problems },
      ...{ rows: renumbered, leaf: leafIn(leaf, numbers) ?? (end == null ? null : (numbers.get(end) ?? null)) },
      summaries: summaries.flatMap(({ n, text }) => (numbers.has(n) ? [{ n: numbers.get(n), text }] : [])),
    },
    async whole(row) {
      const entry = originals[row];
      if (!entry) throw new Error(`There is no row ${row}`);
      return shown(await index.whole(entry));
    },
  };
}

function leafIn(leaf: number | null, numbers: ReadonlyMap<number, number>): number | undefined {
  return leaf === null ? undefined : numbers.get(leaf);
}

/** The entries of a branch, with what is attached to them. */
function branchOf(index: SessionIndex, leaf: string | undefined): Set<Entry> {
  const { session } = index;
  const end = leaf === undefined ? activeLeaf(session.tree).leaf : findMessage(session, leaf);
  const kept = new Set(end ? wholeHistory(session.tree, end.id) : []);
  for (const { entry, parent } of session.tree.nodes.values()) {
    if (entry.type === 'attachment' && parent && kept.has(parent.entry)) kept.add(entry);
  }
  return kept;
}

function renumber(row: Row, numbers: ReadonlyMap<number, number>): Row {
  const { parent, step, up, ...rest } = row;
  const moved = (n: number | undefined) => (n === undefined ? undefined : numbers.get(n));
  const links = { parent: moved(parent), step: moved(step), up: moved(up) };
  const known = Object.fromEntries(Object.entries(links).filter(([, n]) => n !== undefined));
  return { ...rest, ...known, n: numbers.get(row.n) ?? 0 };
}

/** The entries in blocks of about the same size; returns the first row of each. */
async function* entryPieces(name: string, { page, whole }: HtmlTranscript): AsyncGenerator<string, number[]> {
  const starts: number[] = [];
  let items: string[] = [];
  let size = 0;
  for (const { n } of page.rows) {
    if (items.length === 0) starts.push(n);
    const text = JSON.stringify({ n, entry: await whole(n), cuts: [] });
    items.push(text);
    size += text.length;
    if (size < PIECE) continue;
    yield await textBlock(`heddle-${name}-${starts.length - 1}`, `[${items.join(',')}]`);
    [items, size] = [[], 0];
  }
  if (items.length > 0) yield await textBlock(`heddle-${name}-${starts.length - 1}`, `[${items.join(',')}]`);
  return starts;
}

const dataBlock = (id: string, value: unknown) => textBlock(id, JSON.stringify(value));

/** Base64 has no character that means something in HTML; ids of agents are letters, digits, `@`, `_` and `-`. */
async function textBlock(id: string, text: string): Promise<string> {
  const bytes = await compress(text);
  return `<script type="application/octet-stream" id="${id}">${bytes.toString('base64')}</script>\n`;
}

function headOf(title: string, script: string, style: string): string {
  const policy = [
    "default-src 'none'",
    `script-src '${digest(script)}'`,
    `style-src '${digest(style)}'`,
    'img-src blob: data:',
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
  return [
    '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="referrer" content="no-referrer">',
    '<meta name="color-scheme" content="light dark">',
    `<title>${escaped(title)}</title>`,
    '<link rel="icon" href="data:,">',
    `<style>${style}</style>\n</head>\n<body>\n`,
  ].join('\n');
}

function digest(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '').replaceAll(/\s+/g, ' ');
}

const LEFT_OUT = '[left out]';

function withoutOutputs(entry: Entry): Entry {
  const { message, toolUseResult, ...rest } = entry;
  if (!isObject(message) || !Array.isArray(message.content)) return entry;
  const content = message.content.map((block) =>
    isObject(block) && block.type === 'tool_result' ? { ...block, content: LEFT_OUT } : block,
  );
  return { ...rest, message: { ...message, content } } as Entry;
}
