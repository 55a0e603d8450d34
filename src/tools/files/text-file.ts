import { refusal } from '../tool.ts';
import { fileKind } from './file-kind.ts';

export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be';

/** The encoding of a text file. */
export interface TextFormat {
  encoding: Encoding;
  /** True when a byte order mark comes first. */
  bom: boolean;
}

/** Larger files are shown in parts but never loaded whole, so they are not edited either. */
export const MAX_LOADED_BYTES = 64 * 1024 * 1024;

const BOM = '\uFEFF';
/** The bytes that are checked to tell text from binary data. */
const HEAD_BYTES = 8000;

/** The kind of a file that is not text: "a ZIP archive", or just "a binary file". Null for text. */
export function binaryKind(bytes: Uint8Array): string | null {
  const kind = fileKind(bytes);
  if (kind?.certain) return kind.name;
  if (utf16Of(bytes) || !bytes.subarray(0, HEAD_BYTES).includes(0)) return null;
  return kind?.name ?? 'a binary file';
}

/** The format of a file that is text by `binaryKind`. The start of the file is enough. */
export function textFormat(bytes: Uint8Array): TextFormat {
  const utf16 = utf16Of(bytes);
  if (utf16) return utf16;
  return { encoding: 'utf-8', bom: bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf };
}

/** Decodes for display: invalid bytes become replacement characters. A byte order mark stays. */
export function decodeLossy(bytes: Uint8Array, encoding: Encoding): string {
  return encoding === 'utf-8' ? asBuffer(bytes).toString('utf8') : decodeUtf16(bytes, encoding);
}

/** The whole text for people, without a byte order mark. */
export function decodeForDisplay(bytes: Uint8Array): string {
  return withoutBom(decodeLossy(bytes, textFormat(bytes).encoding));
}

/** Decodes for an edit. Throws a ToolError when encoding the text again would not give the same bytes. */
export function decodeForEditing(path: string, bytes: Uint8Array): { text: string; format: TextFormat } {
  const binary = binaryKind(bytes);
  if (binary !== null) throw refusal(`${path} is ${binary} and cannot be edited as text.`);
  const format = textFormat(bytes);
  return { text: withoutBom(decodeExact(path, bytes, format.encoding)), format };
}

/** Encodes a text again. A byte order mark that is part of the text already is not doubled. */
export function encodeText(text: string, { encoding, bom }: TextFormat): Uint8Array {
  const whole = bom ? BOM + withoutBom(text) : text;
  if (encoding === 'utf-8') return Buffer.from(whole, 'utf8');
  const bytes = Buffer.from(whole, 'utf16le');
  return encoding === 'utf-16be' ? bytes.swap16() : bytes;
}

export function withoutBom(text: string): string {
  return text.startsWith(BOM) ? text.slice(1) : text;
}

function decodeExact(path: string, bytes: Uint8Array, encoding: Encoding): string {
  if (encoding !== 'utf-8') {
    if (bytes.length % 2 === 0) return decodeUtf16(bytes, encoding);
    throw refusal(`${path} is UTF-16 text with half a character at its end, so it cannot be edited without damage.`);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    const way = 'Convert it first (such as `iconv -f latin1 -t utf-8`), or change it with a command.';
    throw refusal(`${path} is not UTF-8 or UTF-16 text, so it cannot be edited without damage. ${way}`);
  }
}

/** Not by TextDecoder: unpaired surrogates, which file names on Windows may hold, would not survive it. */
function decodeUtf16(bytes: Uint8Array, encoding: Encoding): string {
  const whole = asBuffer(bytes).subarray(0, bytes.length - (bytes.length % 2));
  return (encoding === 'utf-16be' ? Buffer.from(whole).swap16() : whole).toString('utf16le');
}

function utf16Of(bytes: Uint8Array): TextFormat | null {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return { encoding: 'utf-16le', bom: true };
  if (first === 0xfe && second === 0xff) return { encoding: 'utf-16be', bom: true };
  const encoding = guessUtf16(bytes.subarray(0, HEAD_BYTES));
  return encoding && { encoding, bom: false };
}

/**
 * Without a byte order mark, accepts only clear cases: mostly Latin letters, so that every other byte is zero, and all
 * of it text.
 */
function guessUtf16(head: Uint8Array): Encoding | null {
  const units = Math.floor(head.length / 2);
  if (units < 4) return null;
  const zeros = [0, 0];
  for (let at = 0; at < units * 2; at++) if (head[at] === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  const [most, few] = even > odd ? [even, odd] : [odd, even];
  if (most * 2 < units || few * 20 > units) return null;
  const encoding = even > odd ? 'utf-16be' : 'utf-16le';
  return isPlain(decodeUtf16(head, encoding)) ? encoding : null;
}

function isPlain(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x20 && code !== 0x09 && code !== 0x0a && code !== 0x0c && code !== 0x0d) return false;
  }
  return true;
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
