import { crc32, inflateRawSync } from 'node:zlib';
import { pluginError } from '../plugin-error.ts';
import { type ArchiveEntry, MAX_BYTES, MAX_FILES } from './safe-names.ts';

const END = 0x06054b50;
const CENTRAL = 0x02014b50;
const LOCAL = 0x04034b50;
const END_SIZE = 22;
const CENTRAL_SIZE = 46;
const LOCAL_SIZE = 30;
const MAX_COMMENT = 0xffff;

/**
 * The entries of a zip archive, by its directory at the end. Where directory and file headers contradict, other programs
 * would see other files: that is refused, as are encryption, links, and what claims another size than it has.
 */
export function* zipEntries(archive: Buffer, what: string): Generator<ArchiveEntry> {
  const refuse = (why: string) => pluginError(`${what}: ${why}`);
  const end = endOf(archive);
  if (end < 0) throw refuse('it is cut off, or no zip archive');
  const count = archive.readUInt16LE(end + 10);
  let at = archive.readUInt32LE(end + 16);
  const size = archive.readUInt32LE(end + 12);
  if (count === 0xffff || at === 0xffffffff) throw refuse('zip64 is not supported');
  if (archive.readUInt16LE(end + 4) !== 0 || archive.readUInt16LE(end + 8) !== count)
    throw refuse('it has several parts');
  if (at + size !== end) throw refuse('its directory does not lie where it says');
  if (count > 2 * MAX_FILES) throw refuse(`it has more than ${MAX_FILES} files`);
  let total = 0;
  let lastEnd = 0;
  for (let index = 0; index < count; index++) {
    if (at + CENTRAL_SIZE > end || archive.readUInt32LE(at) !== CENTRAL) throw refuse('its directory is damaged');
    const entry = centralEntry(archive, at);
    if (entry.next > end) throw refuse('its directory is damaged');
    const start = dataOf(archive, entry);
    if (start === null || start + entry.packed > end) throw refuse(`'${entry.path}' differs from the directory`);
    // Parts that overlap make a small archive a large one.
    if (entry.offset < lastEnd) throw refuse(`'${entry.path}' lies in another file`);
    lastEnd = start + entry.packed;
    total += entry.bytes;
    if (total > MAX_BYTES) throw refuse(`it has more than ${MAX_BYTES / 1024 / 1024} MB`);
    yield {
      ...kindOf(entry, refuse),
      path: entry.path,
      data: contentOf(archive.subarray(start, lastEnd), entry, refuse),
    };
    at = entry.next;
  }
  if (at !== end) throw refuse('its directory is damaged');
}

interface Central {
  path: string;
  flags: number;
  method: number;
  crc: number;
  packed: number;
  bytes: number;
  offset: number;
  /** The mode of Unix; 0 where the archive has none. */
  mode: number;
  next: number;
}

function endOf(archive: Buffer): number {
  const first = Math.max(0, archive.length - END_SIZE - MAX_COMMENT);
  for (let at = archive.length - END_SIZE; at >= first; at--) {
    if (archive.readUInt32LE(at) === END && at + END_SIZE + archive.readUInt16LE(at + 20) === archive.length) return at;
  }
  return -1;
}

function centralEntry(archive: Buffer, at: number): Central {
  const nameLength = archive.readUInt16LE(at + 28);
  const extra = archive.readUInt16LE(at + 30);
  const comment = archive.readUInt16LE(at + 32);
  const system = archive.readUInt8(at + 5);
  return {
    path: archive.toString('utf8', at + CENTRAL_SIZE, at + CENTRAL_SIZE + nameLength),
    flags: archive.readUInt16LE(at + 8),
    method: archive.readUInt16LE(at + 10),
    crc: archive.readUInt32LE(at + 16),
    packed: archive.readUInt32LE(at + 20),
    bytes: archive.readUInt32LE(at + 24),
    offset: archive.readUInt32LE(at + 42),
    mode: system === 3 ? archive.readUInt32LE(at + 38) >>> 16 : 0,
    next: at + CENTRAL_SIZE + nameLength + extra + comment,
  };
}

/** Where the content begins; null when the header of the file says something else than the directory. */
function dataOf(archive: Buffer, { offset, path, method }: Central): number | null {
  if (offset + LOCAL_SIZE > archive.length || archive.readUInt32LE(offset) !== LOCAL) return null;
  const nameLength = archive.readUInt16LE(offset + 26);
  const name = archive.toString('utf8', offset + LOCAL_SIZE, offset + LOCAL_SIZE + nameLength);
  if (name !== path || archive.readUInt16LE(offset + 8) !== method) return null;
  return offset + LOCAL_SIZE + nameLength + archive.readUInt16LE(offset + 28);
}

const TYPE = 0o170000;

function kindOf({ path, mode, bytes }: Central, refuse: (why: string) => Error) {
  const type = mode & TYPE;
  const isFolder = path.endsWith('/');
  if (type !== 0 && type !== (isFolder ? 0o040000 : 0o100000)) {
    throw refuse(`'${path}' is ${type === 0o120000 ? 'a link' : 'neither a file nor a folder'}`);
  }
  if (isFolder && bytes > 0) throw refuse(`'${path}' is a folder with content`);
  return { isFolder, isProgram: (mode & 0o100) !== 0 };
}

function contentOf(
  packed: Buffer,
  { path, flags, method, bytes, crc }: Central,
  refuse: (why: string) => Error,
): Buffer {
  if ((flags & 1) !== 0) throw refuse(`'${path}' is encrypted`);
  if (method !== 0 && method !== 8) throw refuse(`'${path}' is packed in a way that is not supported (${method})`);
  // One byte more than it claims is enough to see that the claim is false.
  const data = method === 0 ? packed : inflateRawSync(packed, { maxOutputLength: bytes + 1 });
  if (data.length !== bytes || crc32(data) !== crc) throw refuse(`'${path}' is damaged`);
  return data;
}
