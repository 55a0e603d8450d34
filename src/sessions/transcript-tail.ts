import type { Entry } from '../wire/entries.ts';
import { MAX_LINE_BYTES } from '../wire/jsonl.ts';
import { recordsOfLine } from './line-records.ts';
import type { Loaded, RecentPart } from './store.ts';
import { BLOCK, openTranscriptForReading, type ReadableTranscript } from './transcript-reader.ts';

/**
 * A transcript from its last compaction boundary on, found by reading backwards in blocks. Null when it has none. What
 * stands before is looked at only when asked for, and then as bytes: parsing 100 MB takes most of a second, searching
 * them a tenth.
 */
export async function readRecent(path: string): Promise<RecentPart | null> {
  return withTranscript(path, async (file) => {
    const boundary = await lastEntry(file, { end: file.size, text: BOUNDARY, isWanted: isBoundary });
    if (boundary === null) return null;
    const { start } = boundary;
    const loaded: Loaded[] = [];
    for await (const records of file.recordsFrom(start)) for (const record of records) loaded.push(record);
    return {
      loaded,
      lastBefore: (type) => withTranscript(path, (again) => lastOfType(again, start, type)),
      mentionedBefore: async (text) => (await withTranscript(path, (again) => mentions(again, start, text))) ?? false,
    };
  });
}

async function withTranscript<T>(path: string, work: (file: ReadableTranscript) => Promise<T>): Promise<T | null> {
  const file = await openTranscriptForReading(path);
  if (file === null) return null;
  try {
    return await work(file);
  } finally {
    await file.close();
  }
}

const BOUNDARY = Buffer.from('"compact_boundary"');

/** Of the main chain: a subagent's entries in the file of its session have boundaries of their own. */
function isBoundary({ type, subtype, isSidechain, uuid }: Entry): boolean {
  return type === 'system' && subtype === 'compact_boundary' && isSidechain !== true && typeof uuid === 'string';
}

async function lastOfType(file: ReadableTranscript, end: number, type: string): Promise<Entry | null> {
  const text = Buffer.from(`"type":${JSON.stringify(type)}`);
  const found = await lastEntry(file, { end, text, isWanted: (entry) => entry.type === type });
  return found?.entry ?? null;
}

async function mentions(file: ReadableTranscript, end: number, words: string): Promise<boolean> {
  const text = Buffer.from(words);
  for await (const { bytes } of blocksBackwards(file, end, text)) if (bytes.includes(text)) return true;
  return false;
}

interface Search {
  /** Only what begins before. */
  end: number;
  /** Stands on the line of every entry that may be wanted. */
  text: Buffer;
  isWanted(entry: Entry): boolean;
}

/** The last wanted entry, and where its line starts. */
async function lastEntry(
  file: ReadableTranscript,
  { end, text, isWanted }: Search,
): Promise<{ start: number; entry: Entry } | null> {
  let searched = end;
  for await (const { bytes, offset } of blocksBackwards(file, end, text)) {
    for (let hit = lastBefore(bytes, text, searched - offset); hit >= 0; ) {
      const start = await lineStart(file, bytes, offset, hit);
      const entry = (await entriesAt(file, start)).findLast(isWanted);
      if (entry) return { start, entry };
      // The whole line is done with, however often it holds the text.
      searched = start;
      hit = lastBefore(bytes, text, searched - offset);
    }
  }
  return null;
}

function lastBefore(bytes: Buffer, text: Buffer, end: number): number {
  return end <= 0 ? -1 : bytes.lastIndexOf(text, end - 1);
}

interface Block {
  /** Valid until the next block. */
  bytes: Buffer;
  offset: number;
}

/** From `end` to the beginning of the file. Each block reaches so far into the next one that no text is cut. */
async function* blocksBackwards(file: ReadableTranscript, end: number, text: Buffer): AsyncGenerator<Block, void> {
  const overlap = text.length - 1;
  const block = Buffer.allocUnsafe(Math.min(BLOCK, end) + overlap);
  for (let blockEnd = end; blockEnd > 0; blockEnd -= BLOCK) {
    const offset = Math.max(0, blockEnd - BLOCK);
    const length = Math.min(end, blockEnd + overlap) - offset;
    yield { bytes: await file.read(block.subarray(0, length), offset), offset };
  }
}

async function lineStart(file: ReadableTranscript, bytes: Buffer, offset: number, hit: number): Promise<number> {
  const inBlock = bytes.lastIndexOf(LF, hit);
  if (inBlock >= 0) return offset + inBlock + 1;
  for await (const earlier of blocksBackwards(file, offset, LF)) {
    const found = earlier.bytes.lastIndexOf(LF);
    if (found >= 0) return earlier.offset + found + 1;
  }
  return 0;
}

const LF = Buffer.from('\n');
const SHORT_LINE = 64 * 1024;

/** More than one where lines were glued together. */
async function entriesAt(file: ReadableTranscript, start: number): Promise<Entry[]> {
  for (let size = SHORT_LINE; size <= MAX_LINE_BYTES; size *= 8) {
    const bytes = await file.read(Buffer.allocUnsafe(size), start);
    const end = bytes.indexOf(LF);
    if (end < 0 && bytes.length === size) continue;
    const line = end < 0 ? bytes : bytes.subarray(0, end);
    const records = recordsOfLine({ bytes: line, length: line.length, number: 1, ended: end >= 0 });
    return records.flatMap((record) => ('entry' in record ? [record.entry] : []));
  }
  return [];
}
