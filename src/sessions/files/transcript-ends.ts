import { isObject, stringField, tryParseJson } from '../../util/json.ts';
import type { Entry } from '../../wire/entries.ts';
import { instantOf } from '../entry-fields.ts';
import { asPrompt, promptLine } from '../prompt-line.ts';
import { recordsOfLine } from './line-records.ts';

/** The fields found at the beginning of a transcript. */
export interface HeadInfo {
  sessionId?: string;
  firstPrompt?: string;
  cwd?: string;
  gitBranch?: string;
  /** Milliseconds since the epoch. */
  createdAt?: number | undefined;
}

/**
 * The fields found at the end of a transcript, the last of each kind. An empty title or tag means that it was removed.
 */
export interface TailInfo {
  customTitle?: string;
  tag?: string;
  lastPrompt?: string;
  gitBranch?: string;
}

const LF = 0x0a;

/**
 * Scans the first bytes of a file up to the first prompt. When there are no more bytes, the beginning of a cut line is
 * used.
 */
export function headInfo(bytes: Buffer, { more }: { more: boolean }): HeadInfo {
  const info: HeadInfo = {};
  for (let from = 0; from < bytes.length && info.firstPrompt === undefined; ) {
    const end = bytes.indexOf(LF, from);
    if (end < 0) {
      if (!more) addCutPrompt(info, bytes.toString('utf8', from));
      break;
    }
    addHead(info, entryAt(bytes, from));
    from = end + 1;
  }
  return info;
}

/**
 * Scans the last bytes of a file, which begin with a whole line; `info` holds what was found after them. Only lines
 * that can matter are parsed: this runs for every session of a list.
 */
export function addTailInfo(info: TailInfo, bytes: Buffer): void {
  for (const start of markStarts(bytes).reverse()) addMark(info, entryAt(bytes, start));
  for (let end = bytes.length; end > 0 && info.lastPrompt === undefined; ) {
    const start = bytes.lastIndexOf(LF, end - 1) + 1;
    if (mayBePrompt(bytes, start, end)) addPrompt(info, entryAt(bytes, start));
    end = start - 1;
  }
}

export function isComplete({ customTitle, tag, lastPrompt }: TailInfo): boolean {
  return customTitle !== undefined && tag !== undefined && lastPrompt !== undefined;
}

function addHead(info: HeadInfo, entry: Entry | null): void {
  if (entry === null) return;
  info.sessionId ??= stringField(entry, 'sessionId');
  info.cwd ??= stringField(entry, 'cwd');
  info.gitBranch ??= stringField(entry, 'gitBranch');
  info.createdAt ??= instantOf(entry) || undefined;
  info.firstPrompt ??= promptLine(entry);
}

/** The first prompt may continue after the bytes that were read: its beginning is enough. */
function addCutPrompt(info: HeadInfo, line: string): void {
  const text = tryParseJson(`"${CUT_PROMPT.exec(line)?.[1] ?? ''}"`);
  if (typeof text === 'string') info.firstPrompt = promptLine(asPrompt(text));
}

const CUT_PROMPT = /"role":"user","content":(?:\[\{"type":"text","text":)?"((?:[^"\\]|\\u[\da-f]{4}|\\[^u])*)/i;

function addMark(info: TailInfo, entry: Entry | null): void {
  if (entry?.type === 'custom-title') info.customTitle ??= stringField(entry, 'customTitle');
  if (entry?.type === 'tag') info.tag ??= stringField(entry, 'tag');
}

function addPrompt(info: TailInfo, entry: Entry | null): void {
  if (entry === null) return;
  const recorded = entry.type === 'last-prompt' ? asPrompt(stringField(entry, 'lastPrompt') ?? '') : entry;
  info.lastPrompt = promptLine(recorded);
  if (info.lastPrompt !== undefined) info.gitBranch = stringField(entry, 'gitBranch');
}

/**
 * The offsets of the lines with titles and tags. Such lines begin with the type, and nearly all other entries do not;
 * so short a needle is found at the speed of memchr.
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

/** The type of a user entry comes before the message, after a few short fields. */
function mayBePrompt(bytes: Buffer, start: number, end: number): boolean {
  const beginning = bytes.toString('latin1', start, Math.min(end, start + ENVELOPE));
  // Plain searches: a regular expression for the key and its value takes three times as long.
  return (beginning.includes('"user"') || beginning.includes('"last-prompt"')) && !beginning.includes('"tool_use_id"');
}

const ENVELOPE = 512;

/** The entry on the line that begins at `start`; the last one, where a damaged line has several. */
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
