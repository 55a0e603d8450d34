import { type JsonObject, stringField } from '../../util/json.ts';
import type { ContentBlock, ToolUseBlock } from '../../wire/api/content.ts';
import type { Entry } from '../../wire/entries.ts';
import { joinedMetadata, type ProviderMetadata, readProviderMetadata } from '../../wire/provider-metadata.ts';
import { answerKey, blocksOf, isErrorAnswer } from '../entry-fields.ts';
import { interruptedResult } from '../interrupted-result.ts';
import { textBlock, toApiBlock, withWholePairs } from './api-blocks.ts';
import { type CallPairs, pairCalls } from './call-pairs.ts';
import { attachedBlocks, userBlocks } from './user-blocks.ts';

export interface ReplayMessage {
  role: 'user' | 'assistant';
  content: ContentBlock[];
  /** The model that wrote an answer: thoughts are sent back only to the model that signed them. */
  model?: string;
  /** What the provider of an answer added to it. */
  providerMetadata?: ProviderMetadata;
}

/**
 * Turns a path of entries into the messages of the next request. Whatever happened to the file, the result is valid for
 * the model API: it starts with a user message, roles alternate, no block is empty, and every tool call is answered by
 * exactly one result at the start of the next message, in the order of the calls.
 *
 * The same path always gives the same messages, and later entries do not change the messages of a finished step: the
 * provider's cache depends on it.
 */
export function toApiMessages(path: readonly Entry[]): ReplayMessage[] {
  const pairs = pairCalls(path);
  const messages = assemble(turnsOf(path, pairs), pairs);
  const [first] = messages;
  if (first?.role === 'assistant') messages.unshift({ role: 'user', content: [textBlock(LOST_BEGINNING)] });
  return messages;
}

const LOST_BEGINNING = '(The beginning of this conversation could not be restored.)';

/** Entries of one answer, or user entries without an answer between them. Results are added later. */
interface ReplayTurn {
  role: 'user' | 'assistant';
  answer: string | null;
  model?: string;
  metadata?: ProviderMetadata | undefined;
  blocks: ContentBlock[];
}

function turnsOf(path: readonly Entry[], pairs: CallPairs): ReplayTurn[] {
  const turns: ReplayTurn[] = [];
  for (const entry of path) {
    if (entry.type === 'assistant' && !isErrorAnswer(entry)) addAnswer(answerTurn(turns, entry), entry, pairs);
    if (entry.type === 'user') say(userTurn(turns), userBlocks(entry, pairs.isPaired));
    if (entry.type === 'attachment') say(userTurn(turns), attachedBlocks(entry));
  }
  return turns;
}

/** One by one: a `push(...)` of very many blocks could exceed the argument limit. */
function say({ blocks }: { blocks: ContentBlock[] }, added: readonly ContentBlock[]): void {
  for (const block of added) blocks.push(block);
}

/** Joins the blocks of one answer, even when results of its first calls came between them. */
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

function addAnswer(turn: ReplayTurn, entry: Entry, pairs: CallPairs): void {
  const metadata = readProviderMetadata(entry.providerMetadata);
  for (const block of blocksOf(entry)) {
    const taken = toApiBlock(block, 'assistant');
    const sent = taken?.type === 'tool_use' ? underOwnId(taken, pairs.idOf(block)) : taken;
    if (sent !== null) turn.blocks.push(sent);
    if (metadata && sent?.type === 'tool_use')
      turn.metadata = joinedMetadata(turn.metadata, ofCall(metadata, block, sent));
  }
  if (metadata?.answer) {
    const { provider, family, answer } = metadata;
    turn.metadata = joinedMetadata(turn.metadata, { provider, family, answer });
  }
}

/** The metadata of one call, by the id under which the call is sent. */
function ofCall(
  { provider, family, calls }: ProviderMetadata,
  stored: JsonObject,
  { id }: ToolUseBlock,
): ProviderMetadata | undefined {
  const storedId = stringField(stored, 'id') ?? '';
  const fields = calls && Object.hasOwn(calls, storedId) ? calls[storedId] : undefined;
  return fields && { provider, family, calls: { [id]: fields } };
}

function underOwnId(call: ToolUseBlock, id: string | undefined): ToolUseBlock | null {
  if (id === undefined) return null;
  return id === call.id ? call : { ...call, id };
}

function assemble(turns: readonly ReplayTurn[], pairs: CallPairs): ReplayMessage[] {
  const messages: ReplayMessage[] = [];
  for (const turn of turns) {
    const blocks = turn.role === 'assistant' ? sayable(turn.blocks) : turn.blocks;
    add(messages, turn.role, blocks, turn);
    if (turn.role === 'user') continue;
    const calls = blocks.filter((block) => block.type === 'tool_use');
    // Directly after the calls, before anything else; the user's next text joins this message.
    add(
      messages,
      'user',
      calls.map(({ id }) => pairs.resultFor(id) ?? interruptedResult(id)),
    );
  }
  return messages;
}

/** Removes unpaired blocks of the provider's own tools, and thoughts that nothing follows: the API refuses both. */
function sayable(blocks: readonly ContentBlock[]): readonly ContentBlock[] {
  const kept = withWholePairs(blocks);
  const end = kept.findLastIndex((block) => !THOUGHTS.has(block.type)) + 1;
  return end === kept.length ? kept : kept.slice(0, end);
}

const THOUGHTS = new Set<string>(['thinking', 'redacted_thinking']);

function add(
  messages: ReplayMessage[],
  role: ReplayMessage['role'],
  blocks: readonly ContentBlock[],
  { model, metadata }: Pick<ReplayTurn, 'model' | 'metadata'> = {},
): void {
  if (blocks.length === 0) return;
  const last = messages.at(-1);
  if (last?.role === role) {
    say({ blocks: last.content }, blocks);
    const both = joinedMetadata(last.providerMetadata, metadata);
    if (both) last.providerMetadata = both;
    return;
  }
  const author = { ...(model !== undefined && { model }), ...(metadata && { providerMetadata: metadata }) };
  messages.push({ role, content: [...blocks], ...author });
}
