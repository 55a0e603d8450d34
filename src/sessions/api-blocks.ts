import { toUSVString } from 'node:util';
import { isObject, type JsonObject } from '../util/json.ts';
import type { ContentBlock, TextBlock, ToolResultBlock } from '../wire/content.ts';

type Role = 'user' | 'assistant';

/**
 * A stored block as a model API takes it, or null for what it would refuse: kinds it does not know in that role
 * [S-15], text without text, calls without an id. Lone surrogates are replaced [S-25]. The block itself is returned
 * when nothing had to change.
 */
export function toApiBlock(block: JsonObject, role: Role): ContentBlock | null {
  if (typeof block.type !== 'string' || !isTaken(block.type, role) || !isWhole(block)) return null;
  const clean = wellFormed(block, 0) as JsonObject;
  const sent = clean.type === 'tool_use' && !isObject(clean.input) ? { ...clean, input: {} } : clean;
  return sent as unknown as ContentBlock;
}

/** A stored tool result; what is in it is held to the same rules. */
export function toApiResult(block: JsonObject & { tool_use_id: string }): ToolResultBlock {
  const content = resultContent(block.content);
  const isEmpty = content === undefined || content === '';
  // The API refuses an error without a text.
  const shown = isEmpty && block.is_error === true ? '(no output)' : content;
  const result = wellFormed({ ...block, content: shown }, 0) as JsonObject;
  if (shown === undefined) delete result.content;
  return result as unknown as ToolResultBlock;
}

export function textBlock(text: string): TextBlock {
  return { type: 'text', text: toUSVString(text) };
}

const TAKEN: Record<Role, ReadonlySet<string>> = {
  user: new Set(['text', 'image', 'document', 'search_result', 'container_upload']),
  assistant: new Set(['text', 'thinking', 'redacted_thinking', 'tool_use', 'server_tool_use', 'mcp_tool_use']),
};

/** The results of the provider's own tools stand in the assistant's message, under a growing number of names. */
function isTaken(type: string, role: Role): boolean {
  return TAKEN[role].has(type) || (role === 'assistant' && type.endsWith('_tool_result'));
}

function isWhole(block: JsonObject): boolean {
  const isText = (value: unknown) => typeof value === 'string' && value.trim() !== '';
  switch (block.type) {
    case 'text':
      return isText(block.text);
    case 'thinking':
      return typeof block.thinking === 'string';
    case 'tool_use':
      return isText(block.id) && isText(block.name);
    case 'image':
    case 'document':
      return isObject(block.source);
    default:
      return true;
  }
}

function resultContent(content: unknown): string | ContentBlock[] | undefined {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return undefined;
  const blocks = content.filter(isObject).flatMap((block) => toApiBlock(block, 'user') ?? []);
  return blocks.length > 0 ? blocks : '';
}

/** Far deeper than any tool input; JSON.stringify of much deeper ones overflows the stack [S-18]. */
const MAX_DEPTH = 500;

/** The value with every lone surrogate replaced; the same reference where nothing was. */
function wellFormed(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return toUSVString(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_DEPTH) return '[nested too deeply]';
  if (Array.isArray(value)) {
    const items = value.map((item) => wellFormed(item, depth + 1));
    return items.every((item, i) => item === value[i]) ? value : items;
  }
  const fields = Object.entries(value).map(([key, field]) => [toUSVString(key), wellFormed(field, depth + 1)] as const);
  const isSame = fields.every(([key, field]) => field === (value as JsonObject)[key]);
  return isSame ? value : Object.fromEntries(fields);
}
