import { toUSVString } from 'node:util';
import { isFilled, isObject, type JsonObject } from '../../util/json.ts';
import type { ContentBlock, TextBlock, ToolResultBlock } from '../../wire/api/content.ts';

type Role = 'user' | 'assistant';

/**
 * A stored block as a model API takes it, or null for a block that it would refuse: kinds it does not know in that
 * role, text without text, calls without an id, thoughts without a signature. Unknown fields are left out, and lone
 * surrogates are replaced. The block itself is returned when nothing had to change.
 */
export function toApiBlock(block: JsonObject, role: Role): ContentBlock | null {
  if (typeof block.type !== 'string' || !isTaken(block.type, role) || !isWhole(block)) return null;
  const clean = wellFormed(knownFields(block)) as JsonObject;
  const sent = clean.type === 'tool_use' && !isObject(clean.input) ? { ...clean, input: {} } : clean;
  return sent as unknown as ContentBlock;
}

/** A stored tool result; the same rules apply to its content. */
export function toApiResult(block: JsonObject & { tool_use_id: string }): ToolResultBlock {
  const content = resultContent(block.content);
  const isEmpty = content === undefined || content === '';
  // The API refuses an error without a text.
  const shown = isEmpty && block.is_error === true ? '(no output)' : content;
  const known = knownFields(block);
  const result = wellFormed(known.content === shown ? known : { ...known, content: shown }) as JsonObject;
  if (shown === undefined && result !== block) delete result.content;
  return result as unknown as ToolResultBlock;
}

/**
 * Removes calls of the provider's own tools that have no result in the same answer, and results without a call: the
 * answer was cut between them.
 */
export function withWholePairs(blocks: readonly ContentBlock[]): readonly ContentBlock[] {
  const all = blocks as readonly JsonObject[];
  // True for nearly every answer: this runs for a whole conversation.
  if (!all.some((block) => isProviderCall(block) || isProviderResult(block))) return blocks;
  const called = new Set(all.filter(isProviderCall).map(({ id }) => id));
  const answered = new Set(all.filter(isProviderResult).map(({ tool_use_id }) => tool_use_id));
  return blocks.filter((_, at) => {
    const block = all[at] ?? {};
    if (isProviderCall(block)) return answered.has(block.id);
    return !isProviderResult(block) || called.has(block.tool_use_id);
  });
}

function isProviderCall({ type }: JsonObject): boolean {
  return type === 'server_tool_use' || type === 'mcp_tool_use';
}

function isProviderResult({ type }: JsonObject): boolean {
  return typeof type === 'string' && type.endsWith('_tool_result');
}

export function textBlock(text: string): TextBlock {
  return { type: 'text', text: toUSVString(text) };
}

const TAKEN: Record<Role, ReadonlySet<string>> = {
  user: new Set(['text', 'image', 'document', 'search_result', 'container_upload']),
  assistant: new Set(['text', 'thinking', 'redacted_thinking', 'tool_use', 'server_tool_use', 'mcp_tool_use']),
};

/** The results of the provider's own tools are in the assistant's message, under a growing number of type names. */
function isTaken(type: string, role: Role): boolean {
  return TAKEN[role].has(type) || (role === 'assistant' && isProviderResult({ type }));
}

/** Thoughts are not listed: they are signed and must be sent back unchanged. */
const FIELDS: Record<string, ReadonlySet<string>> = {
  text: new Set(['type', 'text', 'citations', 'cache_control']),
  image: new Set(['type', 'source', 'cache_control']),
  document: new Set(['type', 'source', 'title', 'context', 'citations', 'cache_control']),
  tool_use: new Set(['type', 'id', 'name', 'input', 'caller', 'cache_control']),
  tool_result: new Set(['type', 'tool_use_id', 'content', 'is_error', 'cache_control']),
};

/** Removes fields that the API would refuse as unknown: other programs keep their own notes in blocks. */
function knownFields(block: JsonObject): JsonObject {
  const fields = FIELDS[String(block.type)];
  if (!fields || hasOnly(block, fields)) return block;
  return Object.fromEntries(Object.entries(block).filter(([key]) => fields.has(key)));
}

function hasOnly(block: JsonObject, fields: ReadonlySet<string>): boolean {
  for (const key in block) if (!fields.has(key)) return false;
  return true;
}

function isWhole(block: JsonObject): boolean {
  switch (block.type) {
    case 'text':
      return isFilled(block.text);
    case 'thinking':
      return typeof block.thinking === 'string' && (isFilled(block.signature) || 'provider' in block);
    case 'redacted_thinking':
      return isFilled(block.data);
    case 'tool_use':
      return isFilled(block.id) && isFilled(block.name);
    case 'image':
    case 'document':
      return isObject(block.source) && isWholeSource(block.source);
    default:
      return true;
  }
}

function isWholeSource({ type, media_type, data, url, file_id }: JsonObject): boolean {
  switch (type) {
    case 'base64':
    case 'text':
      return isFilled(media_type) && isFilled(data);
    case 'url':
      return isFilled(url);
    case 'file':
      return isFilled(file_id);
    default:
      return typeof type === 'string';
  }
}

function resultContent(content: unknown): string | ContentBlock[] | undefined {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return undefined;
  const blocks = content.filter(isObject).flatMap((block) => toApiBlock(block, 'user') ?? []);
  return blocks.length > 0 ? blocks : '';
}

/** Far deeper than any tool input; JSON.stringify of much deeper ones overflows the stack. */
const MAX_DEPTH = 500;

/** The value with every lone surrogate replaced; the same reference if there was none, which is nearly always so. */
function wellFormed(value: unknown): unknown {
  return isWellFormed(value) ? value : repaired(value, 0);
}

/** A loop instead of recursion: this visits a whole conversation, and compiling it costs more than running it. */
function isWellFormed(whole: unknown): boolean {
  const values = [whole];
  const depths = [0];
  for (let value = values.pop(); value !== undefined; value = values.pop()) {
    const depth = depths.pop() ?? 0;
    if (typeof value === 'string') {
      if (!value.isWellFormed()) return false;
    } else if (typeof value === 'object' && value !== null) {
      if (depth > MAX_DEPTH) return false;
      for (const key in value) {
        if (!key.isWellFormed()) return false;
        const field = (value as JsonObject)[key];
        if (typeof field === 'string' && !field.isWellFormed()) return false;
        if (typeof field !== 'object' || field === null) continue;
        values.push(field);
        depths.push(depth + 1);
      }
    }
  }
  return true;
}

function repaired(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_DEPTH) return '[nested too deeply]';
  if (Array.isArray(value)) return value.map((item) => repaired(item, depth + 1));
  const entries = Object.entries(value).map(([key, field]) => [key.toWellFormed(), repaired(field, depth + 1)]);
  return Object.fromEntries(entries);
}
