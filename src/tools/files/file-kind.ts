/**
 * The kind of a file by its first bytes, in words for a sentence: "a ZIP archive". Null when they match no signature.
 * `certain` when no text can begin with them; "MZ" or "BM" may be the first letters of a text.
 */
export function fileKind(head: Uint8Array): FileKind | null {
  const start = Buffer.from(head.buffer, head.byteOffset, Math.min(head.byteLength, LONGEST)).toString('latin1');
  const found = SIGNATURES.find(([signature, , offset = 0]) => start.startsWith(signature, offset));
  if (!found) return null;
  const [signature, name] = found;
  return { name, certain: signature === PDF || NOT_IN_TEXT.test(signature) };
}

export interface FileKind {
  name: string;
  certain: boolean;
}

/** An existing file, with the data that a reader needs to begin. */
export interface ReadableFile {
  path: string;
  size: number;
  /** Its first bytes. */
  head: Uint8Array;
}

const PDF = '%PDF-';
const NOT_IN_TEXT = /[^\t\n\r -~]/;
/** The end of the furthest signature. */
const LONGEST = 264;

/** Bytes as Latin-1, the name, and where they stand when not at the start. The first that fits counts. */
const SIGNATURES: readonly (readonly [signature: string, name: string, offset?: number])[] = [
  ['\xff\xfe\0\0', 'UTF-32 text'],
  ['\0\0\xfe\xff', 'UTF-32 text'],
  ['\x89PNG\r\n\x1a\n', 'a PNG image'],
  ['\xff\xd8\xff', 'a JPEG image'],
  ['GIF87a', 'a GIF image'],
  ['GIF89a', 'a GIF image'],
  ['WEBP', 'a WebP image', 8],
  ['WAVE', 'a WAV sound', 8],
  ['AVI ', 'an AVI video', 8],
  ['II*\0', 'a TIFF image'],
  ['MM\0*', 'a TIFF image'],
  ['\0\0\x01\0', 'an icon'],
  ['ftypavif', 'an AVIF image', 4],
  ['ftyphei', 'a HEIC image', 4],
  ['ftyp', 'an MP4 video', 4],
  [PDF, 'a PDF document'],
  ['PK\x03\x04', 'a ZIP archive'],
  ['PK\x05\x06', 'a ZIP archive'],
  ['\x1f\x8b', 'a gzip file'],
  ['BZh', 'a bzip2 file'],
  ['\xfd7zXZ\0', 'an xz file'],
  ['\x28\xb5\x2f\xfd', 'a Zstandard file'],
  ['7z\xbc\xaf\x27\x1c', 'a 7-Zip archive'],
  ['Rar!\x1a\x07', 'a RAR archive'],
  ['ustar', 'a tar archive', 257],
  ['\x7fELF', 'an ELF program'],
  ['MZ', 'a Windows program'],
  ['\xcf\xfa\xed\xfe', 'a Mach-O program'],
  ['\xce\xfa\xed\xfe', 'a Mach-O program'],
  ['\xca\xfe\xba\xbe', 'a Java class or a Mach-O program'],
  ['\0asm', 'a WebAssembly module'],
  ['SQLite format 3\0', 'an SQLite database'],
  ['OggS', 'an Ogg file'],
  ['ID3', 'an MP3 sound'],
  ['fLaC', 'a FLAC sound'],
  ['wOFF', 'a web font'],
  ['wOF2', 'a web font'],
  ['OTTO', 'a font'],
  ['\0\x01\0\0\0', 'a font'],
  ['\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', 'an old Office document'],
  ['!<arch>\n', 'a static library'],
  ['\x93NUMPY', 'a NumPy array'],
  ['PAR1', 'a Parquet file'],
  ['\x89HDF\r\n\x1a\n', 'an HDF5 file'],
  ['BM', 'a BMP image'],
];
