import { isUtf8 } from 'node:buffer';
import { isObject, tryParseJson } from '../../util/json.ts';
import type { Entry } from '../../wire/entries.ts';
import type { Loaded } from '../store.ts';
import type { ByteLine } from './byte-lines.ts';

/**
 * The entries on one line of a transcript. An intact line is one entry; from a damaged one it recovers the separable
 * records (two records glued together, a record after a torn one or after zero bytes) and reports the rest as damage.
 * Never throws.
 */
export function recordsOfLine(line: ByteLine): Loaded[] {
  if (line.bytes === null) return [damaged(line, 'too long to be read', line.length)];
  const decoded = line.bytes.toString('utf8');
  const text = trimmed(decoded);
  if (text === '') return decoded.includes('\0') ? [damaged(line, 'zero bytes', line.length)] : [];
  const value = tryParseJson(text);
  if (isEntry(value)) return [{ entry: value, line: line.number }, ...sideDamage(line, decoded, text)];
  if (value !== undefined) return [damaged(line, notAnEntry(value), line.length)];
  return salvage(line, text);
}

/** The entry is intact, but not every byte of its line is. (Inside a record a NUL would not be JSON.) */
function sideDamage(line: ByteLine, decoded: string, text: string): Loaded[] {
  if (decoded.length !== text.length && decoded.includes('\0')) {
    return [damaged(line, 'zero bytes beside the record', decoded.length - text.length)];
  }
  const isReplaced = text.includes('\uFFFD') && line.bytes !== null && !isUtf8(line.bytes);
  return isReplaced ? [damaged(line, 'invalid UTF-8, replaced', 0)] : [];
}

/** Recovers every record from a line that as a whole is not JSON. */
function salvage(line: ByteLine, text: string): Loaded[] {
  const search = { text, budget: Math.max(text.length * 2, Math.min(text.length * 32, MAX_SEARCH)) };
  const found: Loaded[] = [];
  let lost = 0;
  let from = 0;
  for (let record = nextRecord(search, from); record !== null; record = nextRecord(search, from)) {
    lost += Buffer.byteLength(trimmed(text.slice(from, record.start)));
    found.push({ entry: record.entry, line: line.number });
    from = record.end;
  }
  lost += Buffer.byteLength(trimmed(text.slice(from)));
  const reason = lost > 0 ? lossReason(line, found.length) : `${found.length} records on one line, all recovered`;
  return [...found, damaged(line, reason, lost)];
}

/** How many characters the search in one damaged line may visit: about half a second. */
const MAX_SEARCH = 200_000_000;

interface Search {
  text: string;
  /** Characters that may still be visited: a long line full of braces must not cost quadratic time. */
  budget: number;
}

interface LineRecord {
  entry: Entry;
  start: number;
  end: number;
}

function nextRecord(search: Search, from: number): LineRecord | null {
  const { text } = search;
  const expected = skipFiller(text, from);
  for (let start = text.indexOf('{', from); start >= 0 && search.budget > 0; start = text.indexOf('{', start + 1)) {
    const end = objectEnd(text, start);
    search.budget -= (end < 0 ? text.length : end) - start;
    if (end < 0) continue;
    const value = tryParseJson(text.slice(start, end));
    if (!isEntry(value)) continue;
    if (start === expected || standsAlone(value, text, end)) return { entry: value, start, end };
  }
  return null;
}

/**
 * Inside a torn record any nested object could look like an entry; a real one has an id and ends its part of the line.
 */
function standsAlone(entry: Entry, text: string, end: number): boolean {
  const next = skipFiller(text, end);
  if (next < text.length && text[next] !== '{') return false;
  return IDENTITIES.some((field) => typeof entry[field] === 'string');
}

const IDENTITIES = ['uuid', 'sessionId', 'leafUuid', 'messageId'];

/** The index after the object that starts at `start`, or -1 when it does not end. */
function objectEnd(text: string, start: number): number {
  let depth = 0;
  for (let i = start; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit === QUOTE) {
      i = stringEnd(text, i);
      if (i < 0) return -1;
    } else if (unit === OPEN_BRACE) depth++;
    else if (unit === CLOSE_BRACE && --depth === 0) return i + 1;
  }
  return -1;
}

/** The index of the quote that closes the string opened at `start`, or -1. */
function stringEnd(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit === BACKSLASH) i++;
    else if (unit === QUOTE) return i;
  }
  return -1;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

function isEntry(value: unknown): value is Entry {
  return isObject(value) && typeof value.type === 'string';
}

function notAnEntry(value: unknown): string {
  return isObject(value) ? 'an object without a type' : 'not an object';
}

function lossReason(line: ByteLine, recovered: number): string {
  if (recovered > 0) return 'a torn record beside a whole one';
  return line.ended ? 'not JSON' : 'torn: the file ends inside this record';
}

function damaged(
  line: ByteLine,
  reason: string,
  bytes: number,
): { damage: { line: number; reason: string; bytes: number } } {
  return { damage: { line: line.number, reason, bytes } };
}

/** Spaces, a carriage return, a byte order mark and runs of NUL (a block that was never written) around a record. */
function trimmed(text: string): string {
  const start = skipFiller(text, 0);
  let end = text.length;
  while (end > start && isFiller(text.charCodeAt(end - 1))) end--;
  return start === 0 && end === text.length ? text : text.slice(start, end);
}

function skipFiller(text: string, from: number): number {
  let at = from;
  while (at < text.length && isFiller(text.charCodeAt(at))) at++;
  return at;
}

function isFiller(unit: number): boolean {
  return unit <= 0x20 || unit === 0xfeff;
}
