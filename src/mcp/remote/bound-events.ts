import { MAX_MESSAGE_BYTES } from './limits.ts';

const LF = 10;
const CR = 13;

/**
 * The response with a bound for each event of its stream: what reads it keeps an event in memory until that ends, and the
 * stream itself may be without end. One that is too large breaks the stream off, and `onTooLarge` is told why.
 */
export function boundEvents(
  response: Response,
  onTooLarge: (reason: Error) => void,
  maxBytes = MAX_MESSAGE_BYTES,
): Response {
  const { body, status, statusText, headers } = response;
  if (!body || !headers.get('content-type')?.includes('text/event-stream')) return response;
  const sizeAfter = eventSizes();
  const bounded = new TransformStream<Uint8Array, Uint8Array>({
    transform(bytes, controller) {
      if (sizeAfter(bytes) <= maxBytes) return controller.enqueue(bytes);
      const reason = new Error(`it sent an event of more than ${maxBytes} bytes`);
      onTooLarge(reason);
      throw reason;
    },
  });
  return new Response(body.pipeThrough(bounded), { status, statusText, headers });
}

/** Told the bytes of a stream, tells how many of them the event has that is not over yet. An empty line ends it. */
function eventSizes(): (bytes: Uint8Array) => number {
  let size = 0;
  let isLineEmpty = true;
  let last = 0;
  return (bytes) => {
    for (const byte of bytes) {
      const isSecondHalf = byte === LF && last === CR; // of one end of a line
      last = byte;
      if (isSecondHalf) continue;
      const isEnd = byte === LF || byte === CR;
      size = isEnd && isLineEmpty ? 0 : size + 1;
      isLineEmpty = isEnd;
    }
    return size;
  };
}
