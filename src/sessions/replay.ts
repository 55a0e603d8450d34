import { isObject, type JsonObject, stringField } from '../util/json.ts';
import type { ContentBlock, ToolResultBlock } from '../wire/content.ts';
import type { Entry } from '../wire/entries.ts';
import { textBlock, toApiBlock, toApiResult } from './api-blocks.ts';
import { answerKey, blocksOf, callIds, isErrorAnswer } from './entry-fields.ts';
import { interruptedResult } from './repair.ts';

export interface ReplayMessage {
  role: 'user' | 'assistant';
  content: ContentBlock[];
  /** Who wrote an answer: thoughts go back only to the model that signed them. */
  model?: string;
}

/**
 * A path of entries as the messages of the next request. Whatever the file went through, the outcome is valid for the
 * model API: it starts with a user message, roles alternate, no block is empty, and every tool call is answered by
 * exactly one result at the head of the next message, in the order of the calls [S-6].
 *
 * The same path always gives the same messages, and what follows a finished step does not change it: the provider's
 * cache depends on it.
 */
export function toApiMessages(path: readonly Entry[]): ReplayMessage[] {
  const results = resultsOn(path);
  const messages = assemble(turnsOf(path), results);
  const [first] = messages;
  if (first?.role === 'assistant') messages.unshift({ role: 'user', content: [textBlock(LOST_BEGINNING)] });
  return messages;
}

const LOST_BEGINNING = '(The beginning of this conversation could not be restored.)';
const LOST_CALL = 'Result of an earlier tool call that is no longer part of this conversation:';

/** Entries of one answer, or user entries without an answer between them. Results are placed later. */
interface ReplayTurn {
  role: 'user' | 'assistant';
  answer: string | null;
  model?: string;
  blocks: ContentBlock[];
}

function turnsOf(path: readonly Entry[]): ReplayTurn[] {
  const calls = new Set(path.flatMap(callIds));
  const turns: ReplayTurn[] = [];
  for (const entry of path) {
    if (entry.type === 'assistant' && !isErrorAnswer(entry)) answerTurn(turns, entry).blocks.push(...spoken(entry));
    if (entry.type === 'user') userTurn(turns).blocks.push(...blocksOf(entry).flatMap((b) => userBlock(b, calls)));
    if (entry.type === 'attachment') userTurn(turns).blocks.push(...attached(entry));
  }
  return turns;
}

/** Blocks of one answer are joined again, also when results of its first calls came between them. */
function answerTurn(turns: ReplayTurn[], entry: Entry): ReplayTurn {
  const answer = answerKey(entry);
  const last = turns.at(-1);
  const open = last?.role === 'user' && last.blocks.length === 0 ? turns.at(-2) : last;
  if (answer !== null && open?.role === 'assistant' && open.answer === answer) return open;
  const model = stringField(entry.message, 'model');
  const turn: ReplayTurn = { role: 'assistant', answer, blocks: [], ...(model !== undefined && { model }) };
  turns.push(turn);
  return turn;
}

function userTurn(turns: ReplayTurn[]): ReplayTurn {
  const last = turns.at(-1);
  if (last?.role === 'user') return last;
  const turn: ReplayTurn = { role: 'user', answer: null, blocks: [] };
  turns.push(turn);
  return turn;
}

function spoken(entry: Entry): ContentBlock[] {
  return blocksOf(entry).flatMap((block) => toApiBlock(block, 'assistant') ?? []);
}

function userBlock(block: JsonObject, calls: ReadonlySet<string>): ContentBlock[] {
  if (isResult(block) && calls.has(block.tool_use_id)) return [];
  const taken = isResult(block) ? orphanedResult(block) : toApiBlock(block, 'user');
  return taken === null ? [] : [taken];
}

/** The call was lost, what it found need not be: as a text it may stay. */
function orphanedResult(block: ToolResult): ContentBlock | null {
  const { content } = toApiResult(block);
  const texts = typeof content === 'string' ? [content] : (content ?? []).map((b) => (b.type === 'text' ? b.text : ''));
  const text = texts.join('\n').trim();
  return text === '' ? null : textBlock(`${LOST_CALL}\n${text}`);
}

/** What was added to a user message, as it was sent. Attachments for another runtime's system prompt are not for us. */
function attached(entry: Entry): ContentBlock[] {
  const content = isObject(entry.attachment) ? entry.attachment.content : undefined;
  if (typeof content !== 'string' || content.trim() === '' || entry.renderedRole === 'system') return [];
  return [textBlock(content)];
}

type ToolResult = JsonObject & { tool_use_id: string };

function isResult(block: JsonObject): block is ToolResult {
  return block.type === 'tool_result' && typeof block.tool_use_id === 'string';
}

/** The first result for each call, wherever it stands. */
function resultsOn(path: readonly Entry[]): Map<string, ToolResultBlock> {
  const results = new Map<string, ToolResultBlock>();
  for (const block of path.filter((entry) => entry.type === 'user').flatMap(blocksOf)) {
    if (isResult(block) && !results.has(block.tool_use_id)) results.set(block.tool_use_id, toApiResult(block));
  }
  return results;
}

function assemble(turns: readonly ReplayTurn[], results: ReadonlyMap<string, ToolResultBlock>): ReplayMessage[] {
  const messages: ReplayMessage[] = [];
  const called = new Set<string>();
  for (const turn of turns) {
    const blocks = turn.role === 'assistant' ? sayable(turn.blocks, called) : turn.blocks;
    add(messages, turn.role, blocks, turn.model);
    const calls = blocks.filter((block) => block.type === 'tool_use');
    // Right behind the calls, before anything else can come; what the user says next joins this message.
    add(
      messages,
      'user',
      calls.map(({ id }) => results.get(id) ?? interruptedResult(id)),
    );
  }
  return messages;
}

/** Without calls that were made before, and without thoughts that lead to nothing: the API refuses both. */
function sayable(blocks: readonly ContentBlock[], called: Set<string>): ContentBlock[] {
  const kept = blocks.filter((block) => {
    if (block.type !== 'tool_use') return true;
    if (called.has(block.id)) return false;
    called.add(block.id);
    return true;
  });
  return kept.slice(0, kept.findLastIndex((block) => !THOUGHTS.has(block.type)) + 1);
}

const THOUGHTS = new Set<string>(['thinking', 'redacted_thinking']);

function add(
  messages: ReplayMessage[],
  role: ReplayMessage['role'],
  blocks: readonly ContentBlock[],
  model?: string,
): void {
  if (blocks.length === 0) return;
  const last = messages.at(-1);
  if (last?.role !== role) messages.push({ role, content: [...blocks], ...(model !== undefined && { model }) });
  else for (const block of blocks) last.content.push(block);
}
