import { MAX_MESSAGE_BYTES } from '../limits.ts';

const LF = 10;
const CR = 13;

/**
 * Limits the size of each event in a response's stream: its reader keeps an event in memory until it ends, and the
 * stream itself may be endless. An event that is too large ends the stream, and `onTooLarge` is called with the reason.
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

/**
 * Returns a function that takes the bytes of a stream and returns the size of the unfinished event. An empty line ends
 * an event.
 */
function eventSizes(): (bytes: Uint8Array) => number {
  let size = 0;
  let isLineEmpty = true;
  let last = 0;
  return (bytes) => {
    for (const byte of bytes) {
      const isSecondHalf = byte === LF && last === CR; // the LF of a CRLF
      last = byte;
      if (isSecondHalf) continue;
      const isEnd = byte === LF || byte === CR;
      size = isEnd && isLineEmpty ? 0 : size + 1;
      isLineEmpty = isEnd;
    }
    return size;
  };
}
