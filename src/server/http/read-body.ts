import type { IncomingMessage } from 'node:http';
import { tryParseJson } from '../../util/json.ts';
import { HeddleError } from '../../wire/errors.ts';

export const MAX_BODY = 10_000_000;
/** Of a client that has shown no token. */
export const MAX_OPEN_BODY = 4_000;

/**
 * The body of a request as JSON; undefined when it has none. Rejects with `invalid_request` (another type, no JSON) and
 * `too_large`. The type is checked first, because a form of any page can post text.
 */
export async function readJson(request: IncomingMessage, limit = MAX_BODY): Promise<unknown> {
  const { 'content-type': type, 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  if (encoding === undefined && (length === undefined || length === '0')) return undefined;
  if (Number(length) > limit) {
    if (limit === MAX_BODY) await discard(request);
    throw tooLarge(limit);
  }
  if (!/^application\/json\s*(;|$)/i.test(type ?? '')) throw wrongType();
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > limit) throw tooLarge(limit);
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

function tooLarge(limit: number): HeddleError {
  const message =
    limit === MAX_BODY
      ? `The body is larger than ${limit / 1_000_000} MB: send less, or put it into a file of the workspace`
      : `The body is larger than ${limit} bytes`;
  return new HeddleError('too_large', message, { facts: { limit } });
}

function wrongType(): HeddleError {
  return new HeddleError('invalid_request', 'A body must have the header content-type: application/json', {
    facts: { status: 415 },
  });
}
