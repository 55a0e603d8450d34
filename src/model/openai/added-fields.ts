import { isObject, type JsonObject } from '../../util/json.ts';

/** What a call has in every dialect of this API; anything else was added by its server. */
const OF_EVERY_CALL = new Set(['index', 'id', 'type', 'function']);
/** Fields of an answer that servers want back: Gemini's signatures, the reasoning of OpenRouter and LiteLLM. */
const WANTED_BACK = ['extra_content', 'reasoning_details', 'thinking_blocks'];

/** The fields that a server added to a call; undefined where there are none. */
export function addedToCall(call: JsonObject): JsonObject | undefined {
  const added = Object.entries(call).filter(([key, value]) => !OF_EVERY_CALL.has(key) && value !== null);
  return added.length > 0 ? Object.fromEntries(added) : undefined;
}

/** The fields of an answer, or of a piece of it, that its server wants back. */
export function addedToAnswer(delta: JsonObject): JsonObject | undefined {
  const added = WANTED_BACK.flatMap((key) => (isEmpty(delta[key]) ? [] : [[key, delta[key]] as const]));
  return added.length > 0 ? Object.fromEntries(added) : undefined;
}

/** Fields that come in pieces: lists are joined, and pieces of one item become that item; later texts replace earlier. */
export function joinedFields(before: JsonObject = {}, more: JsonObject): JsonObject {
  const joined = { ...before };
  for (const [key, value] of Object.entries(more)) {
    const known = joined[key];
    if (Array.isArray(known) && Array.isArray(value)) joined[key] = joinedItems(known, value);
    else joined[key] = isObject(known) && isObject(value) ? joinedFields(known, value) : value;
  }
  return joined;
}

/** The fields of an item that grow. */
const GROWING = ['text', 'summary', 'data', 'thinking'];

function joinedItems(before: readonly unknown[], more: readonly unknown[]): unknown[] {
  const items = [...before];
  for (const item of more) {
    const last = items.at(-1);
    if (isObject(last) && isObject(item) && isSameItem(last, item)) items[items.length - 1] = grown(last, item);
    else items.push(item);
  }
  return items;
}

/** Pieces of one item have its type and its number; an item without a number is complete. */
function isSameItem(last: JsonObject, item: JsonObject): boolean {
  return typeof item.index === 'number' && last.index === item.index && last.type === item.type;
}

function grown(last: JsonObject, item: JsonObject): JsonObject {
  const told = Object.entries(item).filter(([, value]) => value !== null && value !== undefined);
  const joined: JsonObject = { ...last, ...Object.fromEntries(told) };
  for (const key of GROWING) {
    if (typeof last[key] === 'string' && typeof item[key] === 'string') joined[key] = last[key] + item[key];
  }
  return joined;
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}
