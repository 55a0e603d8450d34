import { isObject, stringField, tryParseJson } from '../util/json.ts';
import type { Entry } from '../wire/entries.ts';
import { instantOf } from './entry-fields.ts';
import { recordsOfLine } from './line-records.ts';
import { asPrompt, promptLine } from './prompt-line.ts';

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
    addHead(facts, entryAt(bytes, from));
    from = end + 1;
  }
  return facts;
}

/**
 * Looks through the last bytes of a file, which begin with a whole line; `facts` were found behind them. Only lines that
 * can matter are parsed: this runs for every session of a list.
 */
export function addTailFacts(facts: TailFacts, bytes: Buffer): void {
  for (const start of markStarts(bytes).reverse()) addMark(facts, entryAt(bytes, start));
  for (let end = bytes.length; end > 0 && facts.lastPrompt === undefined; ) {
    const start = bytes.lastIndexOf(LF, end - 1) + 1;
    if (mayBePrompt(bytes, start, end)) addPrompt(facts, entryAt(bytes, start));
    end = start - 1;
  }
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
}

function addPrompt(facts: TailFacts, entry: Entry | null): void {
  if (entry === null) return;
  const recorded = entry.type === 'last-prompt' ? asPrompt(stringField(entry, 'lastPrompt') ?? '') : entry;
  facts.lastPrompt = promptLine(recorded);
  if (facts.lastPrompt !== undefined) facts.gitBranch = stringField(entry, 'gitBranch');
}

/**
 * Where the lines with titles and tags begin. Those who write them begin with the type, and nearly all other entries do
 * not; so short a needle is searched at the speed of memchr.
 */
function markStarts(bytes: Buffer): number[] {
  const starts: number[] = [];
  for (let at = bytes.indexOf(MARK_LINE); at >= 0; at = bytes.indexOf(MARK_LINE, at + 1)) starts.push(at + 1);
  if (bytes[TYPE_AT] === MARK_LINE[TYPE_AT + 1]) starts.unshift(0);
  return starts.filter((start) => MARK.test(bytes.toString('latin1', start, start + MARK_LENGTH)));
}

const MARK_LINE = Buffer.from('\n{"t');
const TYPE_AT = 2;
const MARK = /^\{"type":\s*"(?:custom-title|tag)"/;
const MARK_LENGTH = 32;

/** The type of a user's entry stands before the message, behind a few short fields. */
function mayBePrompt(bytes: Buffer, start: number, end: number): boolean {
  const beginning = bytes.toString('latin1', start, Math.min(end, start + ENVELOPE));
  // Plain words: a regular expression for the key and its value takes three times as long.
  return (beginning.includes('"user"') || beginning.includes('"last-prompt"')) && !beginning.includes('"tool_use_id"');
}

const ENVELOPE = 512;

/** The entry on the line that begins there; the last one, where a damaged line has several. */
function entryAt(bytes: Buffer, start: number): Entry | null {
  const newline = bytes.indexOf(LF, start);
  const end = newline < 0 ? bytes.length : newline;
  const value = tryParseJson(bytes.toString('utf8', start, end));
  if (isObject(value) && typeof value.type === 'string') return value as Entry;
  const line = bytes.subarray(start, end);
  const found = recordsOfLine({ bytes: line, length: line.length, number: 0, ended: true });
  const last = found.findLast((record) => 'entry' in record);
  return last && 'entry' in last ? last.entry : null;
}
