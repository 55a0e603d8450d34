import { isObject, type JsonObject, stringField, tryParseJson } from '../util/json.ts';
import type { Logger } from '../util/runtime.ts';
import { type AnswerBlock, answerEvents } from './answer-events.ts';
import { failureOfErrorText } from './failures.ts';
import type { ModelEvent, StreamEvent } from './model.ts';
import { createSseReader, type SseEvent } from './sse.ts';

/** Turns the body of an accepted request into model events. */
export interface StreamReader {
  /** What the bytes tell. A failure is the last event; nothing may be pushed after it. */
  push(chunk: Buffer): ModelEvent[];
  /** What is left to tell when the body has ended: a failure, unless the answer is whole. */
  end(): ModelEvent[];
  /** The answer is over: `message_stop` or a failure was told. */
  readonly done: boolean;
  /** Whether the last bytes were more than a keep-alive. */
  readonly progressed: boolean;
}

export interface StreamReaderOptions {
  requestId: string | null;
  log: Logger;
}

/** A single event of this size is no answer but a fault of the far end. */
const MAX_PENDING_BYTES = 256 * 1024 * 1024;

/**
 * The first character tells what the body is, whatever its content type claims: an event stream, an answer that was not
 * streamed, or a page of some proxy (trust M-9).
 */
export function createStreamReader(options: StreamReaderOptions): StreamReader {
  let reader: StreamReader | undefined;
  let ended = false;
  return {
    push(chunk) {
      reader ??= readerFor(chunk, options);
      return reader?.push(chunk) ?? [];
    },
    end() {
      ended = true;
      return reader?.end() ?? [failure('connection', 'The API closed the connection without an answer.', options)];
    },
    get done() {
      return ended || (reader?.done ?? false);
    },
    get progressed() {
      return reader?.progressed ?? false;
    },
  };
}

function readerFor(chunk: Buffer, options: StreamReaderOptions): StreamReader | undefined {
  const [first] = chunk
    .toString('latin1')
    .replace(/^\xef\xbb\xbf/, '')
    .trimStart();
  if (first === undefined) return undefined;
  if (first === '{') return jsonReader(options);
  return first === '<' ? pageReader(options) : eventReader(options);
}

function eventReader(options: StreamReaderOptions): StreamReader {
  const sse = createSseReader();
  let stopReasonSeen = false;
  let done = false;
  let progressed = false;

  function take(event: SseEvent, told: ModelEvent[]): void {
    const decoded = decode(event, options);
    if (!decoded) return;
    told.push(decoded);
    if (decoded.type === 'failure') done = true;
    if (decoded.type !== 'event') return;
    if (decoded.event.type === 'message_stop') done = true;
    if (decoded.event.type === 'message_delta') {
      stopReasonSeen ||= stringField(decoded.event.delta, 'stop_reason') !== undefined;
    }
  }

  return {
    push(chunk) {
      const told: ModelEvent[] = [];
      for (const event of sse.push(chunk)) {
        if (!done) take(event, told);
      }
      progressed = told.length > 0 || sse.inEvent;
      if (!done && sse.pendingBytes > MAX_PENDING_BYTES) {
        done = true;
        told.push(failure('malformed', 'The API sent an event that does not end.', options));
      }
      return told;
    },
    end() {
      if (done) return [];
      done = true;
      // Everything that matters has come; only the good-bye is missing.
      if (stopReasonSeen) return [asEvent({ type: 'message_stop' })];
      return [failure('connection', 'The connection ended before the answer was complete.', options)];
    },
    get done() {
      return done;
    },
    get progressed() {
      return progressed;
    },
  };
}

/** Events that carry the answer: one that cannot be read leaves a hole in it. */
const ESSENTIAL = new Set([
  'message_start',
  'content_block_start',
  'content_block_delta',
  'content_block_stop',
  'message_delta',
  'message_stop',
]);

function decode({ event: name, data }: SseEvent, options: StreamReaderOptions): ModelEvent | null {
  if (name === 'ping') return null;
  const event = tryParseJson(data);
  if (name === 'error' || stringField(event, 'type') === 'error') {
    return { type: 'failure', failure: failureOfErrorText(data, options.requestId) };
  }
  if (!isStreamEvent(event)) {
    if (name && ESSENTIAL.has(name)) return failure('malformed', `The API sent an unreadable ${name} event.`, options);
    options.log('debug', 'Passed over a stream event that is no JSON object', { event: name });
    return null;
  }
  if (event.type === 'ping') return null;
  // The raw text becomes part of a line, so it must be one.
  return { type: 'event', event, raw: data.includes('\n') ? JSON.stringify(event) : data };
}

function isStreamEvent(value: unknown): value is StreamEvent {
  return isObject(value) && typeof value.type === 'string';
}

/** An answer that was not streamed, although it was asked to be: told as if it had been. */
function jsonReader(options: StreamReaderOptions): StreamReader {
  const chunks: Buffer[] = [];
  let size = 0;
  let done = false;
  return {
    push(chunk) {
      chunks.push(chunk);
      size += chunk.length;
      if (size <= MAX_PENDING_BYTES) return [];
      done = true;
      return [failure('malformed', 'The API sent an answer that does not end.', options)];
    },
    end() {
      done = true;
      return eventsOfBody(Buffer.concat(chunks).toString('utf8'), options);
    },
    get done() {
      return done;
    },
    progressed: true,
  };
}

function eventsOfBody(text: string, options: StreamReaderOptions): ModelEvent[] {
  const body = tryParseJson(text);
  if (isObject(body) && body.error) {
    return [{ type: 'failure', failure: failureOfErrorText(text, options.requestId) }];
  }
  if (!isObject(body) || !Array.isArray(body.content)) {
    return [failure('malformed', 'The API answered with JSON that is no message.', options)];
  }
  const usage = isObject(body.usage) ? body.usage : {};
  const events = answerEvents({
    id: stringField(body, 'id') ?? '',
    model: stringField(body, 'model') ?? '',
    content: body.content.filter(isStreamEvent).map((block: JsonObject & { type: string }): AnswerBlock => ({ block })),
    stopReason: stringField(body, 'stop_reason') ?? 'end_turn',
    stopSequence: stringField(body, 'stop_sequence') ?? null,
    usage,
    finalUsage: usage,
  });
  return [...events].map(asEvent);
}

function pageReader(options: StreamReaderOptions): StreamReader {
  const message =
    'The API answered with a web page instead of a model answer. Is the base URL right, or is a proxy in the way?';
  let done = false;
  const tell = () => {
    done = true;
    return [failure('malformed', message, options)];
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

function asEvent(event: StreamEvent): ModelEvent {
  return { type: 'event', event, raw: JSON.stringify(event) };
}

function failure(kind: 'connection' | 'malformed', message: string, { requestId }: StreamReaderOptions): ModelEvent {
  return { type: 'failure', failure: { class: kind, message, requestId } };
}
