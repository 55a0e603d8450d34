import { isObject, type JsonObject, tryParseJson } from '../../util/json.ts';
import type { Entry } from '../../wire/entries.ts';
import type { ByteLine } from '../files/byte-lines.ts';
import { recordsOfLine } from '../files/line-records.ts';
import type { Loaded } from '../store.ts';
import { skimLine } from './skim-line.ts';

/** Shorter lines are parsed as they are. */
const LONG_LINE = 8192;
const LONGEST_TEXT = 720;
const MAX_DEPTH = 8;
/** Items of a list inside a block; the blocks of a message are all kept. */
const MAX_ITEMS = 64;

/**
 * The records on a line with what an index needs of them: their links, ids, kinds and the beginning of their texts. The
 * tree that they make is that of the whole records.
 */
export function leanRecords(line: ByteLine): Loaded[] {
  const text = line.bytes !== null && line.length > LONG_LINE ? skimLine(line.bytes) : null;
  const value = text === null ? undefined : tryParseJson(text);
  const isWhole = isObject(value) && typeof value.type === 'string';
  const records = isWhole ? [{ entry: value as Entry, line: line.number }] : recordsOfLine(line);
  return records.map((record) => ('entry' in record ? { ...record, entry: lean(record.entry) } : record));
}

function lean(entry: Entry): Entry {
  const { toolUseResult, snapshot, message, ...rest } = entry;
  const slim: JsonObject = shortened(rest, 1) as JsonObject;
  if (isObject(toolUseResult)) slim.toolUseResult = figuresIn(toolUseResult);
  if (isObject(snapshot)) slim.snapshot = { messageId: snapshot.messageId, timestamp: snapshot.timestamp };
  if (message !== undefined) slim.message = leanMessage(message);
  return slim as unknown as Entry;
}

/** All blocks stay, because the ids in them make the tree. */
function leanMessage(message: unknown): unknown {
  if (!isObject(message)) return message;
  const { content, ...rest } = message;
  const blocks = Array.isArray(content) ? content.map((block) => shortened(block, 2)) : shortened(content, 2);
  return { ...(shortened(rest, 1) as JsonObject), ...(content !== undefined && { content: blocks }) };
}

/** What tools tell about a call besides its output: numbers, flags and short texts. */
function figuresIn(result: JsonObject): JsonObject {
  const isFigure = (value: unknown) =>
    typeof value === 'number' || typeof value === 'boolean' || (typeof value === 'string' && value.length <= 200);
  return Object.fromEntries(Object.entries(result).filter(([, value]) => isFigure(value)));
}

function shortened(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return value.length > LONGEST_TEXT ? beginningOf(value) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_DEPTH) return null;
  if (Array.isArray(value)) {
    // Lists of ids, as compactions have them, are links: they stay.
    const isOfTexts = value.every((item) => typeof item === 'string' && item.length <= LONGEST_TEXT);
    return isOfTexts ? value : value.slice(0, MAX_ITEMS).map((item) => shortened(item, depth + 1));
  }
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, shortened(each, depth + 1)]));
}

/** A copy: a slice of a long text would keep all of it in memory. */
function beginningOf(text: string): string {
  return Buffer.from(text.slice(0, LONGEST_TEXT)).toString();
}
