import { isObject, type JsonObject, stringField } from '../util/json.ts';
import type { Entry } from '../wire/entries.ts';

/**
 * Readers for the fields of stored entries. Files come from many versions and from damaged disks, so nothing here
 * trusts a shape: a field of an unexpected type counts as absent.
 */
export type Conversation = Entry & { type: 'user' | 'assistant' };

export function isConversation(entry: Entry): entry is Conversation {
  return (entry.type === 'user' || entry.type === 'assistant') && isObject(entry.message);
}

/** The content blocks of a user or assistant entry; a string is one text block. */
export function blocksOf(entry: Entry): readonly JsonObject[] {
  const content = isObject(entry.message) ? entry.message.content : undefined;
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (!Array.isArray(content)) return [];
  // Nearly always all are objects: no copy, because this runs for every entry of a file.
  return content.every(isObject) ? content : content.filter(isObject);
}

/** The ids of the tool calls that an assistant entry makes. */
export function callIds(entry: Entry): readonly string[] {
  if (entry.type !== 'assistant' || isErrorAnswer(entry)) return NONE;
  return idsIn(entry, 'tool_use', 'id');
}

/** The ids of the tool calls that a user entry answers. */
export function answeredIds(entry: Entry): readonly string[] {
  return entry.type === 'user' ? idsIn(entry, 'tool_result', 'tool_use_id') : NONE;
}

/** Whether a person wrote this entry: not a tool result, and not a text that the runtime wrote in the user's role. */
export function isPrompt(entry: Entry): boolean {
  if (entry.type !== 'user' || !isObject(entry.message)) return false;
  if (entry.isMeta === true || entry.isCompactSummary === true) return false;
  return blocksOf(entry).some((block) => block.type !== 'tool_result');
}

/** The texts of a message, without thoughts, calls and results. */
export function textOf(entry: Entry): string {
  return blocksOf(entry)
    .flatMap((block) => (block.type === 'text' ? (stringField(block, 'text') ?? []) : []))
    .join('\n');
}

/** An error shown instead of an answer; the model did not write it. */
export function isErrorAnswer(entry: Entry): boolean {
  return entry.isApiErrorMessage === true || stringField(entry.message, 'model') === '<synthetic>';
}

/**
 * Identifies the model answer that an assistant entry is a block of. The request id is part of the key: some providers
 * repeat message ids.
 */
export function answerKey(entry: Entry): string | null {
  const id = stringField(entry.message, 'id');
  if (id === undefined || id === '') return null;
  return `${stringField(entry, 'requestId') ?? ''} ${id}`;
}

/** Milliseconds since the epoch; 0 when missing or not a time. */
export function instantOf(entry: Entry): number {
  const { timestamp } = entry;
  const instant = typeof timestamp === 'string' ? Date.parse(timestamp) : timestamp;
  return typeof instant === 'number' && Number.isFinite(instant) ? instant : 0;
}

/**
 * Called for every entry of a file, and the result is kept: so it makes no intermediate lists and allocates no spare
 * room. Most entries have one id or none.
 */
function idsIn(entry: Entry, type: string, key: string): readonly string[] {
  const content = isObject(entry.message) ? entry.message.content : undefined;
  if (!Array.isArray(content)) return NONE;
  let ids: string[] | undefined;
  for (const block of content) {
    const id = isObject(block) && block.type === type ? block[key] : undefined;
    if (typeof id !== 'string') continue;
    if (ids === undefined) ids = [id];
    else ids.push(id);
  }
  return ids ?? NONE;
}

const NONE: readonly string[] = [];
