import { tryParseJson } from '../../util/json.ts';
import { HeddleError } from '../../wire/errors.ts';
import type { Answer } from '../http/route.ts';
import { valueAt } from './cut-entry.ts';
import type { SessionBook } from './session-book.ts';
import { BlobWay } from './shapes.ts';

/** What a file begins with. Never a kind that a browser would run, such as svg. */
const IMAGES: readonly Buffer[] = [
  Buffer.from([0x89, 0x50, 0x4e, 0x47]),
  Buffer.from([0xff, 0xd8, 0xff]),
  Buffer.from('GIF8'),
  Buffer.from('RIFF'),
];

/** A whole text of an entry, or the bytes of an image in it: always as an attachment without a type of its own. */
export async function blobAnswer(book: SessionBook, row: number, path: string): Promise<Answer> {
  const way = BlobWay.safeParse(tryParseJson(path));
  const lean = book.entryOf(row);
  const value = way.success && lean ? valueAt(await book.index.whole(lean), way.data) : undefined;
  if (typeof value !== 'string' || !way.success) throw new HeddleError('not_found', 'There is no text at this place');
  const isBytes = way.data.at(-1) === 'data' && way.data.at(-2) === 'source';
  const bytes = isBytes ? Buffer.from(value, 'base64') : Buffer.from(value);
  if (isBytes && !IMAGES.some((head) => bytes.subarray(0, head.length).equals(head))) {
    throw new HeddleError('not_found', 'It is not an image that can be shown: png, jpeg, gif and webp can');
  }
  return {
    stream(_request, response) {
      response.setHeader('content-type', 'application/octet-stream');
      response.setHeader('content-disposition', 'attachment');
      response.end(bytes);
    },
  };
}
