import { readSync } from 'node:fs';
import { stringField, tryParseJson } from '../../util/json.ts';
import { ByteLines } from './byte-lines.ts';

const BLOCK = 1024 * 1024;
/** Without its first quote: the search is a third faster with a first letter that is not in every word. */
const KEY = Buffer.from('uuid"');
/** Longer than any uuid with its key; a key closer to the end of a block is found in the next one. */
const OVERLAP = 512;

/**
 * The uuids in a transcript, found without parsing it: parsing 100 MB costs most of a second, finding its `"uuid"` keys
 * a tenth. A key may also belong to an object inside a message, so `has` verifies a uuid before it returns true.
 */
export interface UuidIndex {
  has(uuid: string): boolean;
  add(uuid: string): void;
  /** Indexes the bytes that others wrote between two offsets. */
  learn(from: number, to: number): void;
}

export function createUuidIndex(fd: number): UuidIndex {
  const stored = new Set<string>();
  const sighted = new Set<string>();

  return {
    has(uuid) {
      if (stored.has(uuid)) return true;
      if (!sighted.delete(uuid) || !holdsEntry(fd, uuid)) return false;
      stored.add(uuid);
      return true;
    },
    add: (uuid) => void stored.add(uuid),
    learn(from, to) {
      const block = Buffer.allocUnsafe(Math.min(BLOCK, to - from));
      for (let at = from; at < to; at += BLOCK - OVERLAP) {
        const length = readSync(fd, block, 0, Math.min(block.length, to - at), at);
        if (length === 0) return;
        sight(block.subarray(0, length), sighted);
      }
    },
  };
}

function sight(block: Buffer, sighted: Set<string>): void {
  for (let at = block.indexOf(KEY); at >= 0; at = block.indexOf(KEY, at + KEY.length)) {
    const uuid = block[at - 1] === QUOTE ? valueAt(block, at + KEY.length) : undefined;
    if (uuid !== undefined) sighted.add(uuid);
  }
}

/** The text after a key. Nearly all are UUIDs directly after a colon; any other needs a closer look. */
function valueAt(block: Buffer, at: number): string | undefined {
  if (block[at] === COLON && block[at + 1] === QUOTE && block[at + 38] === QUOTE) {
    const uuid = block.toString('latin1', at + 2, at + 38);
    if (!uuid.includes('"')) return uuid;
  }
  return /^\s*:\s*"([^"\\]{1,128})"/.exec(block.toString('latin1', at, at + 160))?.[1];
}

const QUOTE = 0x22;
const COLON = 0x3a;

/** Whether a line of the file is an entry with this uuid. */
function holdsEntry(fd: number, uuid: string): boolean {
  const lines = new ByteLines();
  const block = Buffer.allocUnsafe(BLOCK);
  for (let at = 0; ; ) {
    const length = readSync(fd, block, 0, BLOCK, at);
    at += length;
    const read = length > 0 ? lines.push(block.subarray(0, length)) : lines.end();
    for (const { bytes } of read) {
      if (bytes?.includes(uuid) && stringField(tryParseJson(bytes.toString('utf8')), 'uuid') === uuid) return true;
    }
    if (length === 0) return false;
  }
}
