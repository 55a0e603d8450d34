import { isFilled, isObject, type JsonObject } from '../../util/json.ts';
import type { ContentBlock } from '../../wire/api/content.ts';
import type { Entry } from '../../wire/entries.ts';
import { blocksOf } from '../entry-fields.ts';
import { textBlock, toApiBlock, toApiResult } from './api-blocks.ts';

export type StoredResult = JsonObject & { tool_use_id: string };

/**
 * The blocks of a user entry for the model, without the results that are placed after their call. By default no result
 * is placed.
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

/**
 * The attachments of a user message, as they were sent. Attachments for another runtime's system prompt are left out.
 */
export function attachedBlocks(entry: Entry): ContentBlock[] {
  const { type, content } = isObject(entry.attachment) ? entry.attachment : {};
  if (entry.renderedRole === 'system') return [];
  // Lists of other runtimes are not blocks of a message.
  if (type === 'mention' && Array.isArray(content)) return content.flatMap((block) => toApiBlock(block, 'user') ?? []);
  return isFilled(content) ? [textBlock(content)] : [];
}

export function isResult(block: JsonObject): block is StoredResult {
  return block.type === 'tool_result' && typeof block.tool_use_id === 'string';
}

/** The call was lost, but its result may stay, as a text. */
function orphanedResult(block: StoredResult): ContentBlock | null {
  const { content } = toApiResult(block);
  const texts = typeof content === 'string' ? [content] : (content ?? []).map((b) => (b.type === 'text' ? b.text : ''));
  const text = texts.join('\n').trim();
  return text === '' ? null : textBlock(`${LOST_CALL}\n${text}`);
}

const LOST_CALL = 'Result of an earlier tool call that is no longer part of this conversation:';
