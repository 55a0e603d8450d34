import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { errorCode } from '../../util/error-code.ts';
import { ToolError } from '../tool.ts';

const MAX_BODY_BYTES = 10 * 1024 * 1024;
/** One is usual; a long list is an attempt to keep us busy. */
const MAX_ENCODINGS = 2;

/** The body as it was sent. A ToolError when it is too large. */
export async function readBody(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    chunks.push(chunk as Buffer);
    size += (chunk as Buffer).length;
    if (size > MAX_BODY_BYTES) throw tooLarge(); // leaving the loop ends the connection
  }
  return Buffer.concat(chunks);
}

/** Undoes a `content-encoding`. The unpacked size is bounded like that of any body. */
export async function decodeBody(body: Buffer, contentEncoding = ''): Promise<Buffer> {
  const encodings = contentEncoding
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity');
  if (encodings.length > MAX_ENCODINGS) throw new ToolError('The page is packed too many times.');
  let decoded = body;
  for (const encoding of encodings.reverse()) decoded = await unpack(decoded, encoding);
  return decoded;
}

async function unpack(body: Buffer, encoding: string): Promise<Buffer> {
  if (body.length === 0) return body;
  const limit = { maxOutputLength: MAX_BODY_BYTES };
  try {
    switch (encoding) {
      case 'gzip':
      case 'x-gzip':
        return await promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.gunzip)(body, limit);
      case 'br':
        return await promisify<Buffer, zlib.BrotliOptions, Buffer>(zlib.brotliDecompress)(body, limit);
      case 'deflate':
        return await promisify<Buffer, zlib.ZlibOptions, Buffer>(hasZlibHeader(body) ? zlib.inflate : zlib.inflateRaw)(
          body,
          limit,
        );
    }
  } catch (error) {
    if (errorCode(error) === 'ERR_BUFFER_TOO_LARGE') throw tooLarge();
    throw new ToolError(`The page could not be unpacked (${encoding}).`, { cause: error });
  }
  throw new ToolError(`The page is packed in a way that is not understood: ${encoding.slice(0, 40)}`);
}

/** The standard says zlib, some servers send the bare stream. */
function hasZlibHeader(body: Buffer): boolean {
  return body.length >= 2 && ((body[0] ?? 0) & 15) === 8 && body.readUInt16BE(0) % 31 === 0;
}

function tooLarge(): ToolError {
  const megabytes = MAX_BODY_BYTES / 1024 / 1024;
  return new ToolError(`The page is larger than ${megabytes} MB. Download it with a command and read the file.`);
}
