import { crc32 } from 'node:zlib';
import type { JsonObject } from '../../util/json.ts';

/** One message of an AWS event stream. */
export interface EventFrame {
  /** Headers whose value is a text, such as `:event-type`; others are left out. */
  headers: Readonly<Record<string, string>>;
  payload: Buffer;
}

/** Splits a body into frames. */
export interface FrameReader {
  /** The frames that are complete now. Throws for a frame whose checksum or form is wrong. */
  push(chunk: Buffer): EventFrame[];
  /** The bytes of a frame that wait for its rest. */
  readonly pendingBytes: number;
}

/** Lengths of the whole frame and of its headers, and a checksum of both. */
const PRELUDE_BYTES = 12;
const CHECKSUM_BYTES = 4;
/** A larger frame is a fault of the server, or not a frame at all. */
const MAX_FRAME_BYTES = 32 * 1024 * 1024;

export function createFrameReader(): FrameReader {
  let pending: Buffer[] = [];
  let size = 0;

  /** The first bytes that wait, joined only when they are enough: a frame may come in thousands of pieces. */
  function take(bytes: number): Buffer | null {
    if (size < bytes) return null;
    const [first] = pending;
    if (first && first.length < bytes) pending = [Buffer.concat(pending)];
    return pending[0] ?? null;
  }

  function next(): EventFrame | null {
    const prelude = take(PRELUDE_BYTES);
    if (!prelude) return null;
    const total = checkedLength(prelude);
    const whole = take(total);
    if (!whole) return null;
    const rest = whole.subarray(total);
    pending = [...(rest.length > 0 ? [rest] : []), ...pending.slice(1)];
    size -= total;
    return decode(whole.subarray(0, total));
  }

  return {
    push(chunk) {
      if (chunk.length > 0) pending.push(chunk);
      size += chunk.length;
      const frames: EventFrame[] = [];
      for (let frame = next(); frame; frame = next()) frames.push(frame);
      return frames;
    },
    get pendingBytes() {
      return size;
    },
  };
}

function checkedLength(prelude: Buffer): number {
  const total = prelude.readUInt32BE(0);
  const headers = prelude.readUInt32BE(4);
  if (crc32(prelude.subarray(0, 8)) !== prelude.readUInt32BE(8)) throw new Error('the checksum of a frame is wrong');
  if (total > MAX_FRAME_BYTES || total < PRELUDE_BYTES + headers + CHECKSUM_BYTES) {
    throw new Error('the length of a frame is wrong');
  }
  return total;
}

function decode(frame: Buffer): EventFrame {
  const end = frame.length - CHECKSUM_BYTES;
  if (crc32(frame.subarray(0, end)) !== frame.readUInt32BE(end)) throw new Error('the checksum of a frame is wrong');
  const headersEnd = PRELUDE_BYTES + frame.readUInt32BE(4);
  return {
    headers: readHeaders(frame.subarray(PRELUDE_BYTES, headersEnd)),
    payload: frame.subarray(headersEnd, end),
  };
}

/** The sizes of values by their type; texts and bytes bring their own. */
const SIZES: Readonly<Record<number, number>> = { 0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16 };
const BYTES = 6;
const TEXT = 7;

function readHeaders(bytes: Buffer): Record<string, string> {
  const headers: JsonObject = {};
  let at = 0;
  while (at < bytes.length) {
    const nameEnd = at + 1 + bytes.readUInt8(at);
    const name = bytes.toString('utf8', at + 1, nameEnd);
    const type = bytes.readUInt8(nameEnd);
    at = nameEnd + 1;
    if (type === BYTES || type === TEXT) {
      const length = bytes.readUInt16BE(at);
      if (type === TEXT) headers[name] = bytes.toString('utf8', at + 2, at + 2 + length);
      at += 2 + length;
      continue;
    }
    const length = SIZES[type];
    if (length === undefined) throw new Error('a header of a frame has an unknown type');
    at += length;
  }
  return headers as Record<string, string>;
}
