import { isObject, type JsonObject } from '../util/json.ts';
import type { ContentBlock } from '../wire/content.ts';
import type { Entry } from '../wire/entries.ts';
import { textBlock, toApiBlock, toApiResult } from './api-blocks.ts';
import { blocksOf } from './entry-fields.ts';

export type StoredResult = JsonObject & { tool_use_id: string };

/**
 * What a user entry tells the model, without the results that have their place behind a call; alone, as a new message,
 * it has none.
 */
export function userBlocks(entry: Entry, isPlaced: (result: StoredResult) => boolean = () => false): ContentBlock[] {
  const blocks: ContentBlock[] = [];
  for (const block of blocksOf(entry)) {
    if (isResult(block) && isPlaced(block)) continue;
    const taken = isResult(block) ? orphanedResult(block) : toApiBlock(block, 'user');
    if (taken !== null) blocks.push(taken);
  }
  return blocks;
}

/** What was added to a user message, as it was sent. Attachments for another runtime's system prompt are not for us. */
export function attachedBlocks(entry: Entry): ContentBlock[] {
  const { type, content } = isObject(entry.attachment) ? entry.attachment : {};
  if (entry.renderedRole === 'system') return [];
  // Lists of other runtimes are no blocks of a message.
  if (type === 'mention' && Array.isArray(content)) return content.flatMap((block) => toApiBlock(block, 'user') ?? []);
  return typeof content === 'string' && content.trim() !== '' ? [textBlock(content)] : [];
}

export function isResult(block: JsonObject): block is StoredResult {
  return block.type === 'tool_result' && typeof block.tool_use_id === 'string';
}

/** The call was lost, what it found need not be: as a text it may stay. */
function orphanedResult(block: StoredResult): ContentBlock | null {
  const { content } = toApiResult(block);
  const texts = typeof content === 'string' ? [content] : (content ?? []).map((b) => (b.type === 'text' ? b.text : ''));
  const text = texts.join('\n').trim();
  return text === '' ? null : textBlock(`${LOST_CALL}\n${text}`);
}

const LOST_CALL = 'Result of an earlier tool call that is no longer part of this conversation:';
