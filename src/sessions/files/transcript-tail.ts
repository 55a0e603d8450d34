import type { Entry } from '../../wire/entries.ts';
import { MAX_LINE_BYTES } from '../../wire/link/jsonl.ts';
import type { Loaded, RecentPart } from '../store.ts';
import { recordsOfLine } from './line-records.ts';
import { createTextSearch, type TextSearch } from './text-search.ts';
import { BLOCK, openTranscriptForReading, type ReadableTranscript } from './transcript-reader.ts';

/**
 * A transcript from its last compaction boundary on, found by reading backwards in blocks. Null when it has none.
 * Earlier parts are searched only on request, and then as bytes: parsing 100 MB takes most of a second, searching them
 * a fortieth.
 */
export async function readRecent(path: string): Promise<RecentPart | null> {
  return withTranscript(path, async (file) => {
    const [boundary] = await lastEntries(file, file.size, [BOUNDARY]);
    if (!boundary) return null;
    const { start } = boundary;
    const loaded: Loaded[] = [];
    for await (const records of file.recordsFrom(start)) for (const record of records) loaded.push(record);
    return {
      loaded,
      lastBefore: async (types) =>
        (await withTranscript(path, (again) => lastOfTypes(again, start, types))) ?? new Map(),
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

/** The entries to search for. */
interface Wanted {
  /** A text that is on the line of every such entry. */
  text: string;
  isWanted(entry: Entry): boolean;
}

/** Boundaries of the main chain: a subagent's entries in the file of its session have their own. */
const BOUNDARY: Wanted = {
  text: '"compact_boundary"',
  isWanted: ({ type, subtype, isSidechain, uuid }) =>
    type === 'system' && subtype === 'compact_boundary' && isSidechain !== true && typeof uuid === 'string',
};

async function lastOfTypes(
  file: ReadableTranscript,
  end: number,
  types: readonly string[],
): Promise<Map<string, Entry>> {
  const wanted = types.map((type) => ({
    text: `"type":${JSON.stringify(type)}`,
    isWanted: (entry: Entry) => entry.type === type,
  }));
  const found = await lastEntries(file, end, wanted);
  return new Map(types.flatMap((type, i) => (found[i] ? [[type, found[i].entry]] : [])));
}

async function mentions(file: ReadableTranscript, end: number, words: string): Promise<boolean> {
  const search = createTextSearch(words);
  for await (const { bytes } of blocksBackwards(file, end, search.length - 1)) {
    if (search.positionsIn(bytes).length > 0) return true;
  }
  return false;
}

interface TailEntry {
  entry: Entry;
  /** The offset of its line. */
  start: number;
}

/** The last entry of each kind among those that begin before `end`, found in one pass that stops when all are found. */
async function lastEntries(
  file: ReadableTranscript,
  end: number,
  wanted: readonly Wanted[],
): Promise<(TailEntry | undefined)[]> {
  const found: (TailEntry | undefined)[] = wanted.map(() => undefined);
  const searches = wanted.map(({ text, isWanted }) => ({ ...createTextSearch(text), isWanted, searched: end }));
  const overlap = Math.max(...searches.map(({ length }) => length)) - 1;
  for await (const block of blocksBackwards(file, end, overlap)) {
    for (const [i, search] of searches.entries()) found[i] ??= await lastInBlock(file, block, search);
    if (found.every((each) => each !== undefined)) break;
  }
  return found;
}

interface EntrySearch extends TextSearch {
  isWanted(entry: Entry): boolean;
  /** Every line from this offset on is done. */
  searched: number;
}

async function lastInBlock(
  file: ReadableTranscript,
  { bytes, offset }: Block,
  search: EntrySearch,
): Promise<TailEntry | undefined> {
  for (const place of search.positionsIn(bytes).reverse()) {
    // The line is already done, however often it contains the text.
    if (offset + place >= search.searched) continue;
    search.searched = await lineStart(file, bytes, offset, place);
    const entry = (await entriesAt(file, search.searched)).findLast(search.isWanted);
    if (entry) return { entry, start: search.searched };
  }
  return undefined;
}

interface Block {
  /** Valid until the next block. */
  bytes: Buffer;
  offset: number;
}

/**
 * Blocks from `end` back to the beginning of the file. Each block overlaps the one read before it so far that no text
 * is cut.
 */
async function* blocksBackwards(file: ReadableTranscript, end: number, overlap: number): AsyncGenerator<Block, void> {
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
  for await (const earlier of blocksBackwards(file, offset, 0)) {
    const found = earlier.bytes.lastIndexOf(LF);
    if (found >= 0) return earlier.offset + found + 1;
  }
  return 0;
}

const LF = 0x0a;
const SHORT_LINE = 64 * 1024;

/** Several entries where lines were glued together. */
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
