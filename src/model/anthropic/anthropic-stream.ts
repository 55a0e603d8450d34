import { isObject, type JsonObject, stringField, tryParseJson } from '../../util/json.ts';
import type { Logger } from '../../util/runtime.ts';
import { type AnswerBlock, answerEvents } from '../answer-events.ts';
import { failureOfErrorText } from '../failures.ts';
import type { SseEvent } from '../http/sse.ts';
import { asEvent, type Dialect, failed } from '../http/stream-reader.ts';
import type { ModelEvent, StreamEvent } from '../model.ts';

interface DialectOptions {
  requestId: string | null;
  log: Logger;
}

/** Heddle uses the Messages API's events itself, so this dialect passes them on unchanged. */
export function createAnthropicDialect(options: DialectOptions): Dialect {
  let stopReasonSeen = false;
  return {
    take(event, modelEvents) {
      const decoded = decode(event, options);
      if (!decoded) return false;
      modelEvents.push(decoded);
      if (decoded.type === 'event' && decoded.event.type === 'message_delta') {
        stopReasonSeen ||= stringField(decoded.event.delta, 'stop_reason') !== undefined;
      }
      return true;
    },
    complete: () => (stopReasonSeen ? [asEvent({ type: 'message_stop' })] : null),
    whole: eventsOfMessage,
  };
}

/** Events that carry the answer: if one cannot be parsed, the answer is incomplete. */
const ESSENTIAL = new Set([
  'message_start',
  'content_block_start',
  'content_block_delta',
  'content_block_stop',
  'message_delta',
  'message_stop',
]);

function decode({ event: name, data }: SseEvent, { requestId, log }: DialectOptions): ModelEvent | null {
  if (name === 'ping') return null;
  const event = tryParseJson(data);
  if (name === 'error' || stringField(event, 'type') === 'error') {
    return { type: 'failure', failure: failureOfErrorText(data, requestId) };
  }
  if (!isStreamEvent(event)) {
    if (name && ESSENTIAL.has(name)) return failed('malformed', `The API sent an unreadable ${name} event.`, requestId);
    log('debug', 'Passed over a stream event that is no JSON object', { event: name });
    return null;
  }
  if (event.type === 'ping') return null;
  // The raw text becomes part of a line, so it must not contain a line break.
  return { type: 'event', event, raw: data.includes('\n') ? JSON.stringify(event) : data };
}

function isStreamEvent(value: unknown): value is StreamEvent {
  return isObject(value) && typeof value.type === 'string';
}

function eventsOfMessage(body: JsonObject): ModelEvent[] | null {
  if (!Array.isArray(body.content)) return null;
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
