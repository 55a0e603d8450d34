import { isObject, stringField, tryParseJson } from '../util/json.ts';
import type { Entry } from '../wire/entries.ts';
import { instantOf } from './entry-fields.ts';
import { promptOf } from './entry-text.ts';
import { recordsOfLine } from './line-records.ts';

/** What the beginning of a transcript tells. */
export interface HeadFacts {
  sessionId?: string;
  firstPrompt?: string;
  cwd?: string;
  gitBranch?: string;
  /** Milliseconds since the epoch. */
  createdAt?: number | undefined;
}

/** What the end of a transcript tells; of each kind the last one. An empty title or tag was taken away. */
export interface TailFacts {
  customTitle?: string;
  tag?: string;
  lastPrompt?: string;
  gitBranch?: string;
}

const LF = 0x0a;

/**
 * Looks through the first bytes of a file until the first prompt. Of a line that goes on behind them its beginning is
 * taken, when there will be no more.
 */
export function headFacts(bytes: Buffer, { more }: { more: boolean }): HeadFacts {
  const facts: HeadFacts = {};
  for (let from = 0; from < bytes.length && facts.firstPrompt === undefined; ) {
    const end = bytes.indexOf(LF, from);
    if (end < 0) {
      if (!more) addCutPrompt(facts, bytes.toString('utf8', from));
      break;
    }
    addHead(facts, entryIn({ bytes, start: from, end }));
    from = end + 1;
  }
  return facts;
}

/** Looks through the last bytes of a file, which begin with a whole line; `facts` were found behind them. */
export function addTailFacts(facts: TailFacts, bytes: Buffer): void {
  for (let end = bytes.length; end > 0 && !isComplete(facts); ) {
    const at = bytes.lastIndexOf(LF, end - 1);
    addTailLine(facts, { bytes, start: at + 1, end });
    end = at;
  }
}

/** A line inside of a larger piece. This runs for every line near the end of every session: it makes no objects. */
export interface LineRange {
  bytes: Buffer;
  start: number;
  end: number;
}

/** Only lines that can matter are parsed. */
export function addTailLine(facts: TailFacts, line: LineRange): void {
  if (isMark(line)) addMark(facts, entryIn(line));
  else if (facts.lastPrompt === undefined && mayBePrompt(line)) addLast(facts, entryIn(line));
}

export function isComplete({ customTitle, tag, lastPrompt }: TailFacts): boolean {
  return customTitle !== undefined && tag !== undefined && lastPrompt !== undefined;
}

function addHead(facts: HeadFacts, entry: Entry | null): void {
  if (entry === null) return;
  facts.sessionId ??= stringField(entry, 'sessionId');
  facts.cwd ??= stringField(entry, 'cwd');
  facts.gitBranch ??= stringField(entry, 'gitBranch');
  facts.createdAt ??= instantOf(entry) || undefined;
  facts.firstPrompt ??= promptLine(entry);
}

/** A first prompt that goes on behind the bytes we have: its beginning is enough. */
function addCutPrompt(facts: HeadFacts, line: string): void {
  const text = tryParseJson(`"${CUT_PROMPT.exec(line)?.[1] ?? ''}"`);
  if (typeof text === 'string') facts.firstPrompt = promptLine(asPrompt(text));
}

const CUT_PROMPT = /"role":"user","content":(?:\[\{"type":"text","text":)?"((?:[^"\\]|\\u[\da-f]{4}|\\[^u])*)/i;

function addMark(facts: TailFacts, entry: Entry | null): void {
  if (entry?.type === 'custom-title') facts.customTitle ??= stringField(entry, 'customTitle');
  if (entry?.type === 'tag') facts.tag ??= stringField(entry, 'tag');
  if (entry?.type === 'last-prompt') facts.lastPrompt ??= promptLine(asPrompt(stringField(entry, 'lastPrompt') ?? ''));
}

function addLast(facts: TailFacts, entry: Entry | null): void {
  if (entry === null) return;
  facts.lastPrompt = promptLine(entry);
  if (facts.lastPrompt !== undefined) facts.gitBranch = stringField(entry, 'gitBranch');
}

/** What the user asked in this entry, on one line and cut to what a list can show. */
function promptLine(entry: Entry): string | undefined {
  const prompt = entry.isSidechain === true ? null : promptOf(entry);
  if (prompt === null) return undefined;
  // A prompt may be megabytes long; blanks that are joined may halve it, rarely more.
  const line = prompt
    .slice(0, MAX_PROMPT * 8)
    .trim()
    .replace(/\s+/g, ' ');
  if (line.length <= MAX_PROMPT) return line;
  // By way of bytes: a slice would keep the whole prompt in memory, and half a surrogate pair is no text.
  return `${Buffer.from(line.slice(0, MAX_PROMPT))
    .toString()
    .replace(/\uFFFD$/, '')}…`;
}

const MAX_PROMPT = 200;

function asPrompt(content: string): Entry {
  return { type: 'user', message: { role: 'user', content } };
}

/** An entry that is no message: either short, or one that begins with its type, as its writers write it. */
function isMark({ bytes, start, end }: LineRange): boolean {
  const length = end - start;
  if (length >= SHORT && bytes[start + TYPE_AT] !== LETTER_T) return false;
  return MARK.test(bytes.toString('latin1', start, length < SHORT ? end : start + TYPE_FIRST));
}

const MARK = /"type":\s*"(?:custom-title|tag|last-prompt)"/;
const SHORT = 300;
/** In `{"type":"custom-title"`. */
const TYPE_FIRST = 32;
const TYPE_AT = 2;
const LETTER_T = 0x74;

/** In a user's entry the type stands before the message, behind a few short fields. */
function mayBePrompt({ bytes, start, end }: LineRange): boolean {
  const beginning = bytes.toString('latin1', start, Math.min(end, start + ENVELOPE));
  return USER.test(beginning) && !beginning.includes('"tool_use_id"');
}

const USER = /"type":\s*"user"/;
const ENVELOPE = 512;

/** The last one on the line, where a damaged line has several. */
function entryIn({ bytes, start, end }: LineRange): Entry | null {
  const value = tryParseJson(bytes.toString('utf8', start, end));
  if (isObject(value) && typeof value.type === 'string') return value as Entry;
  const line = bytes.subarray(start, end);
  const found = recordsOfLine({ bytes: line, length: line.length, number: 0, ended: true });
  const last = found.findLast((record) => 'entry' in record);
  return last && 'entry' in last ? last.entry : null;
}
