import type { Entry } from '../wire/entries.ts';
import { ByteLines } from './byte-lines.ts';
import { leanEntry } from './lean-entry.ts';
import { recordsOfLine } from './line-records.ts';
import { sessionUnreadable } from './storage-errors.ts';
import type { Loaded } from './store.ts';
import { type StoredSession, storedSession } from './stored-session.ts';
import { BLOCK, openTranscriptForReading, type ReadableTranscript } from './transcript-reader.ts';

/**
 * A stored session without its long texts, however large its file is: those are read when they are wanted, one entry after
 * the other.
 */
export interface LeanSession extends StoredSession {
  /** The entry as it is stored. Rejects with `session_unreadable` when the file is not what it was. */
  whole(entry: Entry): Promise<Entry>;
  close(): Promise<void>;
}

/** Where an entry stands: on which bytes, and as which record of its line. */
interface Place {
  offset: number;
  length: number;
  number: number;
  at: number;
}

/** Reads a session. Rejects with `session_unreadable`. Whoever opens it closes it. */
export async function openLeanSession(found: { sessionId: string; path: string }): Promise<LeanSession> {
  const file = await openTranscriptForReading(found.path);
  const loaded: Loaded[] = [];
  const places = new Map<Entry, Place>();
  try {
    if (file) for await (const item of leanRecords(file, places)) loaded.push(item);
  } catch (error) {
    await file?.close();
    throw error;
  }
  return {
    ...storedSession(found, loaded),
    async whole(entry) {
      const place = places.get(entry);
      return place && file ? readAt(file, place, found.path) : entry;
    },
    close: async () => void (await file?.close()),
  };
}

async function* leanRecords(file: ReadableTranscript, places: Map<Entry, Place>): AsyncGenerator<Loaded, void> {
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

function shortened(record: Loaded & { entry: Entry }, place: Place, places: Map<Entry, Place>): Loaded {
  const entry = leanEntry(record.entry);
  if (entry !== record.entry) places.set(entry, place);
  return { ...record, entry };
}

async function readAt(file: ReadableTranscript, place: Place, path: string): Promise<Entry> {
  const { offset, length, number, at } = place;
  const bytes = await file.read(Buffer.allocUnsafe(length), offset);
  const record = recordsOfLine({ bytes, length, number, ended: true })[at];
  if (record && 'entry' in record) return record.entry;
  throw sessionUnreadable(path, new Error('it was changed while it was read'));
}
