import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { isMissing, sessionUnreadable } from '../storage-errors.ts';
import type { Loaded } from '../store.ts';
import { ByteLines } from './byte-lines.ts';
import { recordsOfLine } from './line-records.ts';

export const BLOCK = 1024 * 1024;

/**
 * Streams a transcript's entries and damage in the order of the file. A missing file yields nothing; one that cannot be
 * read (a directory, a FIFO, no permission) throws `session_unreadable` at once.
 */
export async function* readTranscript(path: string): AsyncGenerator<Loaded, void> {
  const file = await openTranscriptForReading(path);
  if (file === null) return;
  try {
    // A plain loop: `yield*` in an async generator costs several promises for each entry.
    for await (const records of file.recordsFrom(0)) for (const record of records) yield record;
  } finally {
    await file.close();
  }
}

/** A transcript that can be read at any offset. Every error is `session_unreadable`. */
export interface ReadableTranscript {
  /** The size of the file when it was opened. */
  readonly size: number;
  /** Fills the block from an offset on; the result is shorter only at the end of the file. */
  read(block: Buffer, from: number): Promise<Buffer>;
  /** The records on the lines from an offset on, block by block. Lines are counted from there. */
  recordsFrom(offset: number): AsyncGenerator<Loaded[], void>;
  close(): Promise<void>;
}

/** Null when there is no such file. */
export async function openTranscriptForReading(path: string): Promise<ReadableTranscript | null> {
  const file = await openFile(path);
  if (file === null) return null;
  const read = async (block: Buffer, from: number) => {
    try {
      return block.subarray(0, await fill(file.handle, block, from));
    } catch (error) {
      throw sessionUnreadable(path, error);
    }
  };
  return {
    size: file.size,
    read,
    recordsFrom: (offset) => recordsFrom(read, offset),
    close: () => file.handle.close(),
  };
}

async function* recordsFrom(read: ReadableTranscript['read'], offset: number): AsyncGenerator<Loaded[], void> {
  const block = Buffer.allocUnsafe(BLOCK);
  const lines = new ByteLines();
  for (let at = offset, isEnd = false; !isEnd; ) {
    const bytes = await read(block, at);
    at += bytes.length;
    isEnd = bytes.length === 0;
    const records: Loaded[] = [];
    for (const line of isEnd ? lines.end() : lines.push(bytes)) {
      for (const record of recordsOfLine(line)) records.push(record);
    }
    yield records;
  }
}

async function openFile(path: string): Promise<{ handle: FileHandle; size: number } | null> {
  let handle: FileHandle | undefined;
  try {
    // O_NONBLOCK: opening a FIFO without a writer returns at once instead of blocking.
    handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stat = await handle.stat();
    if (stat.isFile()) return { handle, size: stat.size };
    throw new Error(stat.isDirectory() ? 'a directory is in its place' : 'it is not a regular file');
  } catch (error) {
    await handle?.close();
    if (isMissing(error)) return null;
    throw sessionUnreadable(path, error);
  }
}

async function fill(handle: FileHandle, block: Buffer, from: number): Promise<number> {
  for (let filled = 0; ; ) {
    const { bytesRead } = await handle.read(block, filled, block.length - filled, from + filled);
    filled += bytesRead;
    if (bytesRead === 0 || filled === block.length) return filled;
  }
}
