import { inflateSync } from 'node:zlib';

/** What a look at the bytes of a PDF tells, without an understanding of the format. */
export interface PdfFacts {
  /** Null when it cannot be told. May count pages twice that were changed after the file was made. */
  pages: number | null;
  isEncrypted: boolean;
  /** False when the file has been cut off. */
  isComplete: boolean;
}

/** What is unpacked to look for pages in it. */
const MAX_UNPACKED_BYTES = 64 * 1024 * 1024;

export function scanPdf(bytes: Uint8Array): PdfFacts {
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
  return text.match(/\/Type\s*\/Page(?![A-Za-z])/g)?.length ?? 0;
}

/** Newer files keep their objects in compressed streams. */
function packedPages(data: Buffer, text: string): number {
  let pages = 0;
  let left = MAX_UNPACKED_BYTES;
  for (const match of text.matchAll(/\/Type\s*\/ObjStm/g)) {
    const start = streamStart(text, match.index);
    const end = text.indexOf('endstream', start);
    if (start === -1 || end === -1 || left <= 0) continue;
    const unpacked = inflate(data.subarray(start, end), left);
    left -= unpacked.length;
    pages += countPages(unpacked);
  }
  return pages;
}

function streamStart(text: string, from: number): number {
  const at = text.indexOf('stream', from);
  if (at === -1) return -1;
  const behind = at + 'stream'.length;
  return behind + (text.startsWith('\r\n', behind) ? 2 : 1);
}

/** Nothing for a stream that is packed in another way, damaged, or too large. */
function inflate(data: Buffer, maxOutputLength: number): string {
  try {
    return inflateSync(data, { maxOutputLength }).toString('latin1');
  } catch {
    return '';
  }
}
