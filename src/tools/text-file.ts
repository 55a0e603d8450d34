import { ToolError } from './tool.ts';

const BOM = '\uFEFF';

/** True for what cannot be shown as text: images, archives, PDFs, UTF-16. */
export function isBinary(bytes: Uint8Array): boolean {
  const start = bytes.subarray(0, 8000);
  return start.includes(0) || Buffer.from(start.subarray(0, 5)).toString('latin1') === '%PDF-';
}

/** For showing: bytes that are not UTF-8 become replacement characters, a byte order mark is left out. */
export function decodeForDisplay(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  return text.startsWith(BOM) ? text.slice(1) : text;
}

/** For changing: every byte must survive the way back. Throws a ToolError when it would not. */
export function decodeForEditing(path: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new ToolError(`${path} is not UTF-8 text, so it cannot be edited without damage.`, { wrap: true });
  }
}

/** True when most lines end in CRLF. */
export function usesCrlf(text: string): boolean {
  return count(text, '\r\n') * 2 > count(text, '\n');
}

/** How often `part` occurs, without overlaps. */
export function count(text: string, part: string): number {
  let found = 0;
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) found++;
  return found;
}

/** What a field of a result may carry: a line of the stream should stay below 1 MB (ruling K34). */
const MAX_FIELD_BYTES = 200_000;

export function boundField(text: string): string {
  const bytes = Buffer.byteLength(text);
  if (bytes <= MAX_FIELD_BYTES) return text;
  const start = Buffer.from(text).toString('utf8', 0, MAX_FIELD_BYTES);
  return `${start}\n[… ${bytes - MAX_FIELD_BYTES} more bytes left out …]`;
}
