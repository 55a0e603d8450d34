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

/** The value with every lone surrogate replaced; the same reference where nothing was, which is nearly always. */
function wellFormed(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return toUSVString(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_DEPTH) return '[nested too deeply]';
  return Array.isArray(value) ? wellFormedItems(value, depth + 1) : wellFormedFields(value as JsonObject, depth + 1);
}

function wellFormedItems(items: unknown[], depth: number): unknown[] {
  let copy: unknown[] | undefined;
  for (const [i, item] of items.entries()) {
    const clean = wellFormed(item, depth);
    if (clean === item) continue;
    copy ??= [...items];
    copy[i] = clean;
  }
  return copy ?? items;
}

function wellFormedFields(fields: JsonObject, depth: number): JsonObject {
  let copy: [string, unknown][] | undefined;
  for (const [i, key] of Object.keys(fields).entries()) {
    const clean: [string, unknown] = [toUSVString(key), wellFormed(fields[key], depth)];
    if (copy === undefined && (clean[0] !== key || clean[1] !== fields[key])) copy = Object.entries(fields).slice(0, i);
    copy?.push(clean);
  }
  return copy === undefined ? fields : Object.fromEntries(copy);
}
