import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { recordsOfLine } from '../../sessions/files/line-records.ts';
import { linesBackwards } from '../../sessions/files/reverse-lines.ts';
import { isMissing, sessionUnreadable } from '../../sessions/storage-errors.ts';
import { type CutText, cutEntry } from './cut-entry.ts';
import type { SessionBook } from './session-book.ts';

const MAX_BYTES = 1_000_000;
const MAX_ROWS = 200;
const TAIL = 60;
const TAIL_BYTES = 4_000_000;

interface EntryItem {
  n?: number;
  entry: unknown;
  cuts: CutText[];
}

/** Entries by the numbers of their rows (`0-99,205`), as many as fit into an answer. */
export async function entriesAnswer(book: SessionBook, rows: string): Promise<{ entries: EntryItem[]; next?: number }> {
  const entries: EntryItem[] = [];
  let bytes = 0;
  for (const n of numbersIn(rows, book.rows.length)) {
    if (bytes > MAX_BYTES || entries.length >= MAX_ROWS) return { entries, next: n };
    const lean = book.entryOf(n);
    if (!lean) continue;
    const item = { n, ...cutEntry(await book.index.whole(lean)) };
    bytes += JSON.stringify(item).length;
    entries.push(item);
  }
  return { entries };
}

function* numbersIn(rows: string, end: number): Generator<number, void> {
  for (const range of rows.split(',')) {
    const [from = 0, to = from] = range.split('-').map(Number);
    for (let n = from; n <= Math.min(to, end - 1); n++) yield n;
  }
}

/** The last entries with an id, read from the end of the file. Throws `session_unreadable`. */
export function tailOf(path: string): EntryItem[] {
  const found: EntryItem[] = [];
  let fd: number | undefined;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const { size } = fstatSync(fd);
    for (const { bytes, length, offset, ended } of linesBackwards(fd, { end: size })) {
      if (size - offset > TAIL_BYTES && found.length > 0) break;
      const records = recordsOfLine({ bytes, length, number: 0, ended });
      for (const record of records.reverse()) {
        if ('entry' in record && typeof record.entry.uuid === 'string') found.push(cutEntry(record.entry));
      }
      if (found.length >= TAIL) break;
    }
  } catch (error) {
    if (!isMissing(error)) throw sessionUnreadable(path, error);
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
  return found.reverse();
}
