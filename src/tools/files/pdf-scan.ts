import { inflateSync } from 'node:zlib';
import { errorCode } from '../../util/error-code.ts';

/** Facts found in the bytes of a PDF without parsing the format. */
export interface PdfInfo {
  /** Null when it is unknown. May count pages twice that were changed after the file was made. */
  pages: number | null;
  isEncrypted: boolean;
  /** False when the file has been cut off. */
  isComplete: boolean;
}

/** The most that is unpacked to look for pages. */
const MAX_UNPACKED_BYTES = 16 * 1024 * 1024;
/** More are not counted. */
const MAX_PAGES = 100_000;

export function scanPdf(bytes: Uint8Array): PdfInfo {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = data.toString('latin1');
  const pages = countPages(text) + packedPages(data, text);
  return {
    pages: pages === 0 ? null : pages,
    isEncrypted: /\/Encrypt\s*(\d+\s+\d+\s+R|<<)/.test(text),
    isComplete: text.includes('%%EOF'),
  };
}

function countPages(text: string): number {
  const page = /\/Type\s*\/Page(?![A-Za-z])/g;
  let pages = 0;
  while (pages < MAX_PAGES && page.test(text)) pages++;
  return pages;
}

/** Newer files keep their objects in compressed streams. Each stream is unpacked once. */
function packedPages(data: Buffer, text: string): number {
  let pages = 0;
  let left = MAX_UNPACKED_BYTES;
  const packed = /\/Type\s*\/ObjStm/g;
  for (let match = packed.exec(text); match && left > 0; match = packed.exec(text)) {
    const start = streamStart(text, match.index);
    const end = start === -1 ? -1 : text.indexOf('endstream', start);
    if (end === -1) break;
    const unpacked = inflate(data.subarray(start, end), left);
    // A stream that is too large uses up the rest of the limit.
    left -= unpacked?.length ?? left;
    pages += countPages(unpacked ?? '');
    packed.lastIndex = end;
  }
  return pages;
}

function streamStart(text: string, from: number): number {
  const at = text.indexOf('stream', from);
  if (at === -1) return -1;
  const behind = at + 'stream'.length;
  return behind + (text.startsWith('\r\n', behind) ? 2 : 1);
}

/** Empty for a stream that is packed in another way or damaged, null for one that is too large. */
function inflate(data: Buffer, maxOutputLength: number): string | null {
  try {
    return inflateSync(data, { maxOutputLength }).toString('latin1');
  } catch (error) {
    return errorCode(error) === 'ERR_BUFFER_TOO_LARGE' ? null : '';
  }
}
