import { constants, type Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { FileStat } from '../workspace.ts';
import { refuseSpecial, rethrowReadable } from './file-problems.ts';

/** Opens a file in some way. */
export type OpenFile = (path: string) => Promise<FileHandle>;

const CHUNK_BYTES = 256 * 1024;

export async function readWhole(path: string, openFile: OpenFile): Promise<Uint8Array> {
  const file = await openFile(path);
  try {
    return await file.readFile();
  } finally {
    await file.close();
  }
}

export async function* readInChunks(path: string, openFile: OpenFile): AsyncGenerator<Uint8Array, void> {
  const file = await openFile(path).catch(rethrowReadable(path));
  try {
    for (;;) {
      // A new buffer each time: the reader may keep the last one.
      const piece = file.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES);
      const { buffer, bytesRead } = await piece.catch(rethrowReadable(path));
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

/** `shown` is the name of the file in messages. */
export async function openRegularFile(path: string, flags = 0, shown = path): Promise<FileHandle> {
  // O_NONBLOCK: to open a FIFO without a writer would wait for ever.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | flags);
  try {
    refuseSpecial(shown, await file.stat());
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

export function toFileStat(stats: Stats): FileStat {
  const kind = stats.isFile() ? 'file' : stats.isDirectory() ? 'directory' : 'other';
  return { kind, size: stats.size, mtimeMs: stats.mtimeMs };
}
