import { setTimeout as sleep } from 'node:timers/promises';
import type { Loaded } from '../store.ts';
import { ByteLines } from './byte-lines.ts';
import { recordsOfLine } from './line-records.ts';
import { fileAt } from './session-folders.ts';
import { BLOCK, openTranscriptForReading } from './transcript-reader.ts';

/**
 * A stat costs microseconds. File system notifications would cost less, but differ between systems and do not work
 * across a network.
 */
const PAUSE_MS = 100;

/**
 * Yields entries that any process appends to a transcript after an offset, until the signal aborts. A file that was
 * started over is read from its beginning.
 */
export async function* watchTranscript(path: string, from: number, signal: AbortSignal): AsyncGenerator<Loaded, void> {
  let lines = new ByteLines();
  for (let at = from; !signal.aborted; await pause(signal)) {
    const size = fileAt(path)?.size ?? 0;
    if (size < at) {
      lines = new ByteLines();
      at = 0;
    }
    if (size === at) continue;
    for await (const bytes of bytesBetween(path, at, size)) {
      at += bytes.length;
      for (const line of lines.push(bytes)) for (const record of recordsOfLine(line)) yield record;
    }
  }
}

async function* bytesBetween(path: string, from: number, to: number): AsyncGenerator<Buffer, void> {
  const file = await openTranscriptForReading(path);
  if (file === null) return;
  try {
    const block = Buffer.allocUnsafe(Math.min(BLOCK, to - from));
    for (let at = from; at < to; at += block.length) {
      yield await file.read(block.subarray(0, Math.min(block.length, to - at)), at);
    }
  } finally {
    await file.close();
  }
}

async function pause(signal: AbortSignal): Promise<void> {
  await sleep(PAUSE_MS, undefined, { signal }).catch(() => {});
}
