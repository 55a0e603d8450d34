import { isObject, stringField, tryParseJson } from '../../util/json.ts';
import { messageOf } from '../../util/message-of.ts';
import { failureOfErrorText } from '../failures.ts';
import { createStreamReader, type Dialect, failed, type StreamReader } from '../http/stream-reader.ts';
import type { FailureClass, ModelEvent } from '../model.ts';
import { createFrameReader, type EventFrame } from './event-frames.ts';

/** Reads an answer that comes in frames of an AWS event stream; each holds one event of the Messages API. */
export function createFrameStreamReader(dialect: Dialect, requestId: string | null): StreamReader {
  let reader: StreamReader | undefined;
  return {
    push(chunk) {
      reader ??= isFrame(chunk) ? frameReader(dialect, requestId) : createStreamReader(dialect, requestId);
      return reader.push(chunk);
    },
    end: () => reader?.end() ?? [failed('connection', 'The API closed the connection without an answer.', requestId)],
    get done() {
      return reader?.done ?? false;
    },
    get progressed() {
      return reader?.progressed ?? false;
    },
  };
}

/** The first byte of a length below 16 MB is 0; texts of any other kind begin with something else. */
function isFrame(chunk: Buffer): boolean {
  return chunk[0] === 0;
}

function frameReader(dialect: Dialect, requestId: string | null): StreamReader {
  const frames = createFrameReader();
  let done = false;
  let progressed = false;
  return {
    push(chunk) {
      const told: ModelEvent[] = [];
      progressed = false;
      try {
        for (const frame of frames.push(chunk)) {
          if (done) break;
          if (take(frame, { dialect, requestId, told })) progressed = true;
          done = isLast(told.at(-1));
        }
        if (frames.pendingBytes > KEEP_ALIVE_BYTES) progressed = true;
      } catch (error) {
        done = true;
        told.push(failed('malformed', `The API sent what cannot be read: ${messageOf(error)}.`, requestId));
      }
      return told;
    },
    end() {
      if (done) return [];
      done = true;
      const rest = frames.pendingBytes > 0 ? null : dialect.complete();
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

/** More than the frame of any keep-alive holds, so more pending bytes than this belong to a real event. */
const KEEP_ALIVE_BYTES = 512;

function isLast(event: ModelEvent | undefined): boolean {
  return event?.type === 'failure' || (event?.type === 'event' && event.event.type === 'message_stop');
}

interface Taking {
  dialect: Dialect;
  requestId: string | null;
  told: ModelEvent[];
}

/** Returns whether the frame was more than a keep-alive. */
function take({ headers, payload }: EventFrame, { dialect, requestId, told }: Taking): boolean {
  const kind = headers[':message-type'];
  if (kind === 'exception') {
    told.push(exceptionEvent(headers[':exception-type'] ?? '', payload.toString('utf8'), requestId));
    return true;
  }
  if (kind === 'error') {
    told.push(exceptionEvent(headers[':error-code'] ?? '', headers[':error-message'] ?? '', requestId));
    return true;
  }
  const chunk = tryParseJson(payload.toString('utf8'));
  const bytes = stringField(chunk, 'bytes');
  if (bytes === undefined) return false;
  const data = Buffer.from(bytes, 'base64').toString('utf8');
  return dialect.take({ event: stringField(tryParseJson(data), 'type') ?? '', data }, told);
}

const CLASS_OF_EXCEPTION: readonly [RegExp, FailureClass][] = [
  [/throttling|quota/i, 'rate_limit'],
  [/serviceUnavailable|modelNotReady/i, 'overloaded'],
  [/modelTimeout/i, 'timeout'],
  [/accessDenied|unrecognizedClient|expiredToken|invalidSignature/i, 'authentication'],
  [/resourceNotFound/i, 'model_not_found'],
  [/internalServer|modelStreamError|modelError/i, 'server'],
];

/** An exception that arrived as a frame instead of the rest of the answer. */
function exceptionEvent(type: string, text: string, requestId: string | null): ModelEvent {
  const body = tryParseJson(text);
  const message = stringField(body, 'message') ?? (isObject(body) ? '' : text);
  const error = { type: 'invalid_request_error', message: message || `The API reported ${type}.` };
  const failure = failureOfErrorText(JSON.stringify({ error }), requestId);
  const known = CLASS_OF_EXCEPTION.find(([pattern]) => pattern.test(type))?.[1];
  return { type: 'failure', failure: { ...failure, providerType: type, ...(known && { class: known }) } };
}
