import { isObject, type JsonObject } from '../../util/json.ts';
import type { Entry } from '../../wire/entries.ts';

/** Longer than any id, and enough for titles and outlines. */
const MAX_CHARS = 4096;
/** Deeper levels hold nothing about the position of an entry. */
const MAX_DEPTH = 12;

/**
 * The entry with its long texts cut: all fields that determine its position are complete. Returns the entry itself
 * where no text is long.
 */
export function leanEntry(entry: Entry): Entry {
  return lean(entry, 0) as Entry;
}

function lean(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return value.length > MAX_CHARS ? beginningOf(value) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_DEPTH) return null;
  if (Array.isArray(value)) return leanList(value, depth);
  return isObject(value) ? leanObject(value, depth) : value;
}

/** A copy: a slice of a long text would keep all of it in memory. */
function beginningOf(text: string): string {
  return Buffer.from(text.slice(0, MAX_CHARS)).toString();
}

function leanList(list: readonly unknown[], depth: number): unknown[] {
  const items = list.map((item) => lean(item, depth + 1));
  return items.every((item, at) => item === list[at]) ? (list as unknown[]) : items;
}

function leanObject(object: JsonObject, depth: number): JsonObject {
  let copy: JsonObject | null = null;
  for (const [key, value] of Object.entries(object)) {
    const short = lean(value, depth + 1);
    if (short === value) continue;
    copy ??= { ...object };
    copy[key] = short;
  }
  return copy ?? object;
}
