import type { Entry } from '../../wire/entries.ts';
import { ByteLines } from '../files/byte-lines.ts';
import { recordsOfLine } from '../files/line-records.ts';
import { BLOCK, openTranscriptForReading, type ReadableTranscript } from '../files/transcript-reader.ts';
import { sessionUnreadable } from '../storage-errors.ts';
import type { Loaded } from '../store.ts';
import { leanEntry } from './lean-entry.ts';
import { type StoredSession, storedSession } from './stored-session.ts';

/**
 * A stored session without its long texts, however large its file is: those are read on request, one entry at a time.
 */
export interface LeanSession extends StoredSession {
  /** The entry as it is stored. Rejects with `session_unreadable` when the file has changed. */
  whole(entry: Entry): Promise<Entry>;
  close(): Promise<void>;
}

/** The position of an entry: its bytes, and its index among the records of its line. */
interface EntryPosition {
  offset: number;
  length: number;
  number: number;
  at: number;
}

/** Reads a session. Rejects with `session_unreadable`. The caller closes it. */
export async function openLeanSession(found: { sessionId: string; path: string }): Promise<LeanSession> {
  const file = await openTranscriptForReading(found.path);
  const loaded: Loaded[] = [];
  const places = new Map<Entry, EntryPosition>();
  try {
    if (file) for await (const item of leanRecords(file, places)) loaded.push(item);
  } catch (error) {
    await file?.close();
    throw error;
  }
  return {
    ...storedSession(found, loaded),
    async whole(entry) {
      const position = places.get(entry);
      return position && file ? readAt(file, position, found.path) : entry;
    },
    close: async () => void (await file?.close()),
  };
}

async function* leanRecords(file: ReadableTranscript, places: Map<Entry, EntryPosition>): AsyncGenerator<Loaded, void> {
  const block = Buffer.allocUnsafe(BLOCK);
  const lines = new ByteLines();
  let offset = 0;
  for (let from = 0, isEnd = false; !isEnd; ) {
    const bytes = await file.read(block, from);
    from += bytes.length;
    isEnd = bytes.length === 0;
    for (const line of isEnd ? lines.end() : lines.push(bytes)) {
      const { length, number } = line;
      for (const [at, record] of recordsOfLine(line).entries()) {
        yield 'entry' in record ? shortened(record, { offset, length, number, at }, places) : record;
      }
      offset += length + 1;
    }
  }
}

function shortened(
  record: Loaded & { entry: Entry },
  position: EntryPosition,
  places: Map<Entry, EntryPosition>,
): Loaded {
  const entry = leanEntry(record.entry);
  if (entry !== record.entry) places.set(entry, position);
  return { ...record, entry };
}

async function readAt(file: ReadableTranscript, position: EntryPosition, path: string): Promise<Entry> {
  const { offset, length, number, at } = position;
  const bytes = await file.read(Buffer.allocUnsafe(length), offset);
  const record = recordsOfLine({ bytes, length, number, ended: true })[at];
  if (record && 'entry' in record) return record.entry;
  throw sessionUnreadable(path, new Error('it was changed while it was read'));
}
