export interface ImageInfo {
  mediaType: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';
  width: number;
  height: number;
}

/**
 * The format and size of an image, read from its bytes. Null when it is damaged, incomplete, or not of the four formats
 * that models can see: an API would refuse the request that holds it, and every later one.
 */
export function imageInfo(bytes: Uint8Array): ImageInfo | null {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    const info = readPng(data) ?? readGif(data) ?? readWebp(data) ?? readJpeg(data);
    return info && info.width > 0 && info.height > 0 ? info : null;
  } catch (error) {
    if (error instanceof RangeError) return null; // read beyond the end: incomplete
    throw error;
  }
}

function readPng(data: Buffer): ImageInfo | null {
  if (!has(data, 0, '\x89PNG\r\n\x1a\n') || !has(data, 12, 'IHDR') || !data.includes('IEND')) return null;
  return { mediaType: 'image/png', width: data.readUInt32BE(16), height: data.readUInt32BE(20) };
}

function readGif(data: Buffer): ImageInfo | null {
  if (!(has(data, 0, 'GIF87a') || has(data, 0, 'GIF89a')) || !data.includes(0x3b, 13)) return null;
  return { mediaType: 'image/gif', width: data.readUInt16LE(6), height: data.readUInt16LE(8) };
}

function readWebp(data: Buffer): ImageInfo | null {
  if (!has(data, 0, 'RIFF') || !has(data, 8, 'WEBP') || data.readUInt32LE(4) + 8 > data.length) return null;
  const size = webpSize(data);
  return size && { mediaType: 'image/webp', ...size };
}

/** The three kinds of WebP: lossy, lossless and extended. */
function webpSize(data: Buffer): { width: number; height: number } | null {
  switch (data.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return { width: data.readUInt16LE(26) & 0x3fff, height: data.readUInt16LE(28) & 0x3fff };
    case 'VP8L': {
      const bits = data.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8X':
      return { width: data.readUIntLE(24, 3) + 1, height: data.readUIntLE(27, 3) + 1 };
    default:
      return null;
  }
}

/** A JPEG is a row of segments; one of those that begin a frame has the size. */
function readJpeg(data: Buffer): ImageInfo | null {
  if (!has(data, 0, '\xff\xd8\xff') || !data.includes('\xff\xd9', 'latin1')) return null;
  for (let at = 2; data.readUInt8(at) === 0xff; ) {
    const marker = data.readUInt8(at + 1);
    if (marker === 0xff)
      at += 1; // padding
    else if (isFrame(marker)) {
      return { mediaType: 'image/jpeg', width: data.readUInt16BE(at + 7), height: data.readUInt16BE(at + 5) };
    } else at += 2 + data.readUInt16BE(at + 2);
  }
  return null;
}

/** SOF0 to SOF15, without the three in their midst that are tables. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
}

function has(data: Buffer, offset: number, signature: string): boolean {
  return data.toString('latin1', offset, offset + signature.length) === signature;
}
