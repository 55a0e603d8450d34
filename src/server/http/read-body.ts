import type { IncomingMessage } from 'node:http';
import { tryParseJson } from '../../util/json.ts';
import { HeddleError } from '../../wire/errors.ts';

export const MAX_BODY = 10_000_000;

/**
 * The body of a request as JSON; undefined when it has none. Rejects with `invalid_request` (another type, no JSON) and
 * `too_large`. The type is checked first, because a form of any page can post text.
 */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  const { 'content-type': type, 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  if (encoding === undefined && (length === undefined || length === '0')) return undefined;
  if (Number(length) > MAX_BODY) {
    await discard(request);
    throw tooLarge();
  }
  if (!/^application\/json\s*(;|$)/i.test(type ?? '')) throw wrongType();
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > MAX_BODY) throw tooLarge();
    pieces.push(piece);
  }
  if (size === 0) return undefined;
  const body = tryParseJson(Buffer.concat(pieces).toString('utf8'));
  if (body === undefined) throw new HeddleError('invalid_request', 'The body is no JSON');
  return body;
}

/** More of a body that is too large is not even read. */
const MOST_DISCARDED = 5 * MAX_BODY;

/** A client that still writes would not read why it was refused. */
async function discard(request: IncomingMessage): Promise<void> {
  let size = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > MOST_DISCARDED) return;
  }
}

function tooLarge(): HeddleError {
  const message = `The body is larger than ${MAX_BODY / 1_000_000} MB: send less, or put it into a file of the workspace`;
  return new HeddleError('too_large', message, { facts: { limit: MAX_BODY } });
}

function wrongType(): HeddleError {
  return new HeddleError('invalid_request', 'A body must have the header content-type: application/json', {
    facts: { status: 415 },
  });
}
