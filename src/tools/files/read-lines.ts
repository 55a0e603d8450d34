import { createHash } from 'node:crypto';
import type { Line } from './numbered-lines.ts';
import { decodeLossy, type Encoding, MAX_LOADED_BYTES, withoutBom } from './text-file.ts';

export interface LineRange {
  /** The first line is 1. */
  startLine: number;
  limit: number;
  encoding: Encoding;
  signal: AbortSignal;
}

/** Some lines of a file, and facts about the rest that were found on the way. */
export interface LineWindow {
  lines: Line[];
  /**
   * The number of lines counted; lower than the real number when `isTotalKnown` is false. A final line break begins one
   * more.
   */
  totalLines: number;
  isTotalKnown: boolean;
  bytes: number;
  /** The digest of the whole file; null for files that are too large to be edited. */
  digest: string | null;
  /** True when the lines were too much to keep; some are missing then. */
  overflow: boolean;
}

/** The most that is kept of one line, and of all lines. */
const MAX_LINE_BYTES = 50_000;
const MAX_KEPT_BYTES = 1_200_000;
/** The bytes that its number adds to a line; without them empty lines would cost nothing. */
const NUMBER_BYTES = 8;
/** Beyond this many bytes a file is not read only to count its lines or the bytes of a line. */
const MAX_COUNTED_BYTES = 256 * 1024 * 1024;

/**
 * Reads a file piece by piece; memory holds only a piece and the lines in the range. Works on bytes and decodes only
 * the lines that are shown: counting the lines of a gigabyte takes a second, and several when all of it is decoded.
 */
export async function readLines(chunks: AsyncIterable<Uint8Array>, range: LineRange): Promise<LineWindow> {
  const collector = createCollector(range);
  for await (const chunk of range.encoding === 'utf-8' ? chunks : evenChunks(chunks)) {
    range.signal.throwIfAborted();
    collector.add(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    if (collector.hasEnough()) break;
  }
  return collector.end();
}

interface Collector {
  add(data: Buffer): void;
  /** True when reading further would find nothing, or would only count lines that the caller does not need. */
  hasEnough(): boolean;
  end(): LineWindow;
}

function createCollector({ startLine, limit, encoding }: LineRange): Collector {
  const endLine = startLine + limit;
  const breakBytes = encoding === 'utf-8' ? 1 : 2;
  const hash = createHash('sha256');
  const lines: Line[] = [];
  let open = newLine();
  let line = 1;
  let bytes = 0;
  let kept = 0;

  const isInRange = () => line >= startLine && line < endLine;
  const isFull = () => kept >= MAX_KEPT_BYTES;
  const stopsCounting = () => bytes > MAX_COUNTED_BYTES && (line >= endLine || open.bytes > MAX_COUNTED_BYTES);

  function keep(part: Buffer): void {
    const room = Math.min(MAX_LINE_BYTES - open.kept, MAX_KEPT_BYTES - kept);
    const fits = part.subarray(0, Math.max(0, room));
    if (fits.length > 0) open.parts.push(Buffer.from(fits)); // copied, or the whole piece would stay in memory
    open.kept += fits.length;
    open.bytes += part.length;
    kept += fits.length;
  }

  function closeLine(): void {
    const text = decodeLossy(Buffer.concat(open.parts), encoding);
    lines.push(open.kept === open.bytes ? { text } : { text, cutFromBytes: open.bytes });
    open = newLine();
    kept += NUMBER_BYTES;
  }

  return {
    add(data) {
      bytes += data.length;
      if (bytes <= MAX_LOADED_BYTES) hash.update(data);
      for (let from = 0; from < data.length && !isFull(); ) {
        const at = lineBreak(data, from, encoding);
        const end = at === -1 ? data.length : at;
        if (isInRange()) keep(data.subarray(from, end));
        from = end + breakBytes;
        if (at === -1) continue;
        if (isInRange()) closeLine();
        line++;
      }
    },
    hasEnough: () => isFull() || stopsCounting(),
    end() {
      const isTotalKnown = !stopsCounting();
      if (isInRange()) closeLine();
      if (startLine === 1 && lines[0]) lines[0].text = withoutBom(lines[0].text);
      const digest = bytes <= MAX_LOADED_BYTES ? hash.digest('hex') : null;
      return { lines, totalLines: line, isTotalKnown, bytes, digest, overflow: isFull() };
    },
  };
}

/** A line that is still being read. */
interface OpenLine {
  parts: Buffer[];
  kept: number;
  bytes: number;
}

function newLine(): OpenLine {
  return { parts: [], kept: 0, bytes: 0 };
}

/** The position of the next line feed; -1 when there is no further one. */
function lineBreak(data: Buffer, from: number, encoding: Encoding): number {
  if (encoding === 'utf-8') return data.indexOf(0x0a, from);
  const [low, high] = encoding === 'utf-16le' ? [0, 1] : [1, 0];
  for (let at = data.indexOf(0x0a, from); at !== -1; at = data.indexOf(0x0a, at + 1)) {
    const unit = at - low;
    if (unit % 2 === 0 && data[unit + high] === 0) return unit;
  }
  return -1;
}

/** Pieces of whole UTF-16 units. Only at the very end may there be half a unit. */
async function* evenChunks(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  let rest: Uint8Array = new Uint8Array();
  for await (const chunk of chunks) {
    const data = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const even = data.length - (data.length % 2);
    rest = data.subarray(even);
    yield data.subarray(0, even);
  }
  if (rest.length > 0) yield rest;
}
