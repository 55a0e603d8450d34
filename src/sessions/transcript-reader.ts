import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { ByteLines } from './byte-lines.ts';
import { recordsOfLine } from './line-records.ts';
import { isMissing, sessionUnreadable } from './storage-errors.ts';
import type { Loaded } from './store.ts';

const BLOCK = 1024 * 1024;

/**
 * Streams a transcript's entries and damage in the order of the file. A missing file yields nothing; one that cannot be
 * read (a directory, a FIFO, no permission) throws `session_unreadable`, at once.
 */
export async function* readTranscript(path: string): AsyncGenerator<Loaded, void> {
  const file = await openForReading(path);
  if (file === null) return;
  try {
    const block = Buffer.allocUnsafe(BLOCK);
    const lines = new ByteLines();
    for (let length = -1; length !== 0; ) {
      length = await readBlock(file, block, path);
      const read = length > 0 ? lines.push(block.subarray(0, length)) : lines.end();
      // Plain loops: `yield*` in an async generator costs several promises for each entry.
      for (const line of read) for (const record of recordsOfLine(line)) yield record;
    }
  } finally {
    await file.close();
  }
}

async function openForReading(path: string): Promise<FileHandle | null> {
  let file: FileHandle | undefined;
  try {
    // O_NONBLOCK: a FIFO without a writer opens at once instead of never.
    file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stat = await file.stat();
    if (stat.isFile()) return file;
    throw new Error(stat.isDirectory() ? 'a directory is in its place' : 'it is not a regular file');
  } catch (error) {
    await file?.close();
    if (isMissing(error)) return null;
    throw sessionUnreadable(path, error);
  }
}

async function readBlock(file: FileHandle, block: Buffer, path: string): Promise<number> {
  try {
    return (await file.read(block, 0, block.length)).bytesRead;
  } catch (error) {
    throw sessionUnreadable(path, error);
  }
}
