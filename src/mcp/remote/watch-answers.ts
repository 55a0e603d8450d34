import { isObject, tryParseJson } from '../../util/json.ts';
import { isRpcId, type RpcId } from '../../wire/link/json-rpc.ts';
import { MAX_MESSAGE_BYTES } from '../limits.ts';
import type { PendingRequests } from '../pending-requests.ts';
import type { FetchLike } from './fetch-like.ts';

/** A stream whose events have ids can be resumed where it broke off. */
const EVENT_ID = /(?:^|\n)id:/;

/**
 * Sends requests and watches their answers: a request whose answer breaks off, and is not resumed, fails at once
 * instead of waiting forever; so does one whose answer is endless.
 */
export function watchAnswers(fetch: FetchLike, pending: PendingRequests, maxBytes = MAX_MESSAGE_BYTES): FetchLike {
  return async (url, init) => {
    const response = await fetch(url, init);
    const id = requestIn(init?.body);
    if (id === undefined || !response.ok || !response.body) return response;
    const body = watched(response.body, {
      maxBytes,
      onEnd(problem) {
        // Delayed: the last bytes are still being read.
        setTimeout(() => pending.fail(id, problem ?? new Error('the answer broke off')), 0);
      },
    });
    return new Response(body, { status: response.status, headers: response.headers });
  };
}

interface Watch {
  maxBytes: number;
  /** The stream has ended. `problem` is the fault of the stream itself, if it has one. */
  onEnd(problem: Error | null): void;
}

function watched(body: ReadableStream<Uint8Array>, { maxBytes, onEnd }: Watch): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let bytes = 0;
  let isResumable = false;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) {
          if (!isResumable) onEnd(null);
          controller.close();
          return;
        }
        bytes += value.length;
        if (bytes > maxBytes) throw new Error(`the answer has more than ${maxBytes} bytes`);
        isResumable ||= EVENT_ID.test(decoder.decode(value.subarray(0, 1024)));
        controller.enqueue(value);
      } catch (error) {
        if (!isResumable || bytes > maxBytes) onEnd(error instanceof Error ? error : new Error(String(error)));
        controller.error(error);
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

/** The id of the request in a body; undefined for notifications and answers. */
function requestIn(body: unknown): RpcId | undefined {
  const message = typeof body === 'string' ? tryParseJson(body) : undefined;
  return isObject(message) && typeof message.method === 'string' && isRpcId(message.id) ? message.id : undefined;
}
