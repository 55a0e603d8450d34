import { isObject, type JsonObject, tryParseJson } from '../../util/json.ts';
import { failureOfErrorText } from '../failures.ts';
import type { ModelEvent, StreamEvent } from '../model.ts';
import { createSseReader, type SseEvent } from './sse.ts';

/** Turns the body of an accepted request into model events. */
export interface StreamReader {
  /** The events in the bytes. A failure is the last event; nothing may be pushed after it. */
  push(chunk: Buffer): ModelEvent[];
  /** The remaining events when the body has ended: a failure, unless the answer is complete. */
  end(): ModelEvent[];
  /** The answer is over: `message_stop` or a failure was returned. */
  readonly done: boolean;
  /** Whether the last bytes were more than a keep-alive. */
  readonly progressed: boolean;
}

/** A provider's way of putting an answer into events or into JSON. One object reads one answer. */
export interface Dialect {
  /**
   * Appends the model events of an SSE event to `modelEvents`; nothing may come after a failure or `message_stop`. False: it
   * was a mere keep-alive.
   */
  take(event: SseEvent, modelEvents: ModelEvent[]): boolean;
  /** The events that complete an answer which ended without a final event, or null when it is incomplete. */
  complete(): ModelEvent[] | null;
  /**
   * The events for an answer that the server did not stream although the request asked for it. Null: the body is not an
   * answer.
   */
  whole(body: JsonObject): ModelEvent[] | null;
}

/** A single event of this size is a fault of the server, not an answer. */
const MAX_PENDING_BYTES = 256 * 1024 * 1024;

/**
 * The first character decides what the body is, whatever its content type claims: an event stream, an answer that was
 * not streamed, or the page of a proxy.
 */
export function createStreamReader(dialect: Dialect, requestId: string | null): StreamReader {
  let reader: StreamReader | undefined;
  let ended = false;
  return {
    push(chunk) {
      reader ??= readerFor(chunk, dialect, requestId);
      return reader?.push(chunk) ?? [];
    },
    end() {
      ended = true;
      return reader?.end() ?? [failed('connection', 'The API closed the connection without an answer.', requestId)];
    },
    get done() {
      return ended || (reader?.done ?? false);
    },
    get progressed() {
      return reader?.progressed ?? false;
    },
  };
}

export function asEvent(event: StreamEvent): ModelEvent {
  return { type: 'event', event, raw: JSON.stringify(event) };
}

export function failed(kind: 'connection' | 'malformed', message: string, requestId: string | null): ModelEvent {
  return { type: 'failure', failure: { class: kind, message, requestId } };
}

function readerFor(chunk: Buffer, dialect: Dialect, requestId: string | null): StreamReader | undefined {
  const [first] = chunk
    .toString('latin1')
    .replace(/^\xef\xbb\xbf/, '')
    .trimStart();
  if (first === undefined) return undefined;
  if (first === '{') return jsonReader(dialect, requestId);
  return first === '<' ? pageReader(requestId) : eventReader(dialect, requestId);
}

function eventReader(dialect: Dialect, requestId: string | null): StreamReader {
  const sse = createSseReader();
  let done = false;
  let progressed = false;
  return {
    push(chunk) {
      const modelEvents: ModelEvent[] = [];
      progressed = false;
      for (const event of sse.push(chunk)) {
        if (done) break;
        if (dialect.take(event, modelEvents)) progressed = true;
        done = isLast(modelEvents.at(-1));
      }
      if (sse.inEvent) progressed = true;
      if (!done && sse.pendingBytes > MAX_PENDING_BYTES) {
        done = true;
        modelEvents.push(failed('malformed', 'The API sent an event that does not end.', requestId));
      }
      return modelEvents;
    },
    end() {
      if (done) return [];
      done = true;
      // The whole answer may have arrived without its final event.
      const rest = dialect.complete();
      return rest ?? [failed('connection', 'The connection ended before the answer was complete.', requestId)];
    },
    get done() {
      return done;
    },
    get progressed() {
      return progressed;
    },
  };
}

function isLast(event: ModelEvent | undefined): boolean {
  return event?.type === 'failure' || (event?.type === 'event' && event.event.type === 'message_stop');
}

function jsonReader(dialect: Dialect, requestId: string | null): StreamReader {
  const chunks: Buffer[] = [];
  let size = 0;
  let done = false;
  return {
    push(chunk) {
      chunks.push(chunk);
      size += chunk.length;
      if (size <= MAX_PENDING_BYTES) return [];
      done = true;
      return [failed('malformed', 'The API sent an answer that does not end.', requestId)];
    },
    end() {
      done = true;
      return eventsOfBody(Buffer.concat(chunks).toString('utf8'), dialect, requestId);
    },
    get done() {
      return done;
    },
    progressed: true,
  };
}

function eventsOfBody(text: string, dialect: Dialect, requestId: string | null): ModelEvent[] {
  const body = tryParseJson(text);
  if (isObject(body) && (body.error || body.object === 'error')) {
    return [{ type: 'failure', failure: failureOfErrorText(text, requestId) }];
  }
  const events = isObject(body) ? dialect.whole(body) : null;
  return events ?? [failed('malformed', 'The API answered with JSON that is no message.', requestId)];
}

function pageReader(requestId: string | null): StreamReader {
  const message =
    'The API answered with a web page instead of a model answer. Is the base URL right, or is a proxy in the way?';
  let done = false;
  const tell = () => {
    done = true;
    return [failed('malformed', message, requestId)];
  };
  return {
    push: tell,
    end: () => (done ? [] : tell()),
    get done() {
      return done;
    },
    progressed: true,
  };
}
