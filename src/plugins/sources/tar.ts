import { gunzipSync } from 'node:zlib';
import { pluginError } from '../plugin-error.ts';
import { type ArchiveEntry, MAX_BYTES } from './safe-names.ts';

const BLOCK = 512;
/** Headers and padding come on top of the content. */
const MAX_UNPACKED = 2 * MAX_BYTES;

/** Throws when the content is larger than a plugin may be. */
export function gunzip(archive: Buffer): Buffer {
  return gunzipSync(archive, { maxOutputLength: MAX_UNPACKED });
}

/** The entries of a tar archive, with long names of both kinds. Links and devices end it with `plugin_failed`. */
export function* tarEntries(archive: Buffer, what: string): Generator<ArchiveEntry> {
  const refuse = (why: string) => pluginError(`${what}: ${why}`);
  let longName: string | null = null;
  for (let at = 0; at + BLOCK <= archive.length; ) {
    const header = archive.subarray(at, at + BLOCK);
    if (header.every((byte) => byte === 0)) return;
    if (!isIntact(header)) throw refuse('it is damaged');
    const size = octal(header, 124, 12);
    const start = at + BLOCK;
    if (size === null || start + size > archive.length) throw refuse('it is cut off');
    const data = archive.subarray(start, start + size);
    at = start + Math.ceil(size / BLOCK) * BLOCK;
    const type = String.fromCharCode(header[156] ?? 0);
    if (type === 'x' || type === 'g') {
      const path = type === 'x' ? paxPath(data) : null;
      longName = path ?? longName;
      continue;
    }
    if (type === 'L') {
      longName = text(data, 0, data.length);
      continue;
    }
    const path = longName ?? headerPath(header);
    longName = null;
    if (!['0', '\0', '5', '7'].includes(type)) {
      const kind = type === '1' || type === '2' ? 'a link' : 'neither a file nor a folder';
      throw refuse(`'${path}' is ${kind}`);
    }
    const isFolder = type === '5' || path.endsWith('/');
    yield { path, isFolder, isProgram: ((octal(header, 100, 8) ?? 0) & 0o100) !== 0, data };
  }
}

function headerPath(header: Buffer): string {
  const name = text(header, 0, 100);
  const prefix = header.toString('latin1', 257, 262) === 'ustar' ? text(header, 345, 155) : '';
  return prefix === '' ? name : `${prefix}/${name}`;
}

function text(buffer: Buffer, at: number, length: number): string {
  const part = buffer.subarray(at, at + length);
  const end = part.indexOf(0);
  return part.toString('utf8', 0, end < 0 ? part.length : end);
}

function octal(header: Buffer, at: number, length: number): number | null {
  const written = text(header, at, length).trim();
  if (!/^[0-7]*$/.test(written)) return null;
  return Number.parseInt(written || '0', 8);
}

/** The sum over all bytes, with blanks where the sum itself stands. */
function isIntact(header: Buffer): boolean {
  let sum = 0;
  for (let at = 0; at < BLOCK; at++) sum += at >= 148 && at < 156 ? 0x20 : (header[at] ?? 0);
  return octal(header, 148, 8) === sum;
}

/** `LENGTH KEY=VALUE` lines. */
function paxPath(data: Buffer): string | null {
  let path: string | null = null;
  for (let at = 0; at < data.length; ) {
    const blank = data.indexOf(0x20, at);
    const length = Number(data.toString('latin1', at, blank));
    if (blank < 0 || !Number.isInteger(length) || length <= 0) return path;
    const line = data.toString('utf8', blank + 1, at + length - 1);
    if (line.startsWith('path=')) path = line.slice('path='.length);
    at += length;
  }
  return path;
}
