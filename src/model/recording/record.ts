import { HEDDLE_VERSION } from '../../wire/version.ts';
import { isGroup } from '../each-event.ts';
import { mapTexts } from '../json-texts.ts';
import type { ApiMessage, Model, ModelEvent, ModelRequest } from '../model.ts';
import { createMask, type Mask, type Masked } from './mask.ts';
import { hideEvents } from './mask-events.ts';
import {
  RECORDING_VERSION,
  type RecordedEvent,
  type RecordingLine,
  type RequestLine,
  settingsOf,
} from './recording.ts';

export interface RecorderOptions {
  /** Receives whole lines, each with its line feed, one or several at a time. Must not throw. */
  sink: (lines: string) => void;
  /** Called when the first request comes. */
  masked: () => Masked;
  /** Milliseconds since any moment. Not the runtime's clock: reading it would change the output of a seeded run. */
  now: () => number;
}

/**
 * Wraps models so that their traffic goes into one recording: requests without credentials and without the user's id,
 * and the model's events before they are passed on. The format is `RecordingLine`.
 */
export function createModelRecorder({ sink, masked, now }: RecorderOptions): (model: Model) => Model {
  const write = (lines: readonly RecordingLine[]) => sink(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const requests = createRequestLog();
  let mask: Mask | null = null;
  write([{ type: 'recording', version: RECORDING_VERSION, heddle_version: HEDDLE_VERSION }]);

  return (model) => ({
    provider: model.provider,
    async *stream(request, signal) {
      mask ??= createMask(masked());
      const line = requests.next(request, mask);
      const answer = createAnswerLog({ index: line.index, mask, write, now });
      write([line.index === 0 ? { ...line, provider: model.provider } : line]);
      try {
        for await (const item of model.stream(request, signal)) {
          answer.add(isGroup(item) ? item : [item]);
          yield item;
        }
      } finally {
        answer.end();
      }
    },
    close: () => model.close?.(),
  });
}

interface RequestLog {
  next(request: ModelRequest, mask: Mask): RequestLine;
}

/** Messages never change once sent, so those of an earlier request are recognized by identity. */
function createRequestLog(): RequestLog {
  /** The last request of each conversation, by the message with which it begins. */
  const conversations = new WeakMap<ApiMessage, { index: number; settings: string; messages: ApiMessage[] }>();
  let count = 0;
  return {
    next(request, mask) {
      const { messages } = request;
      const settings = settingsOf(request);
      const index = count++;
      const [first] = messages;
      const last = first && conversations.get(first);
      const settingsText = JSON.stringify(settings);
      if (first) conversations.set(first, { index, settings: settingsText, messages: [...messages] });
      const keep = last ? sharedLength(last.messages, messages) : 0;
      const hide = <Value>(value: Value) => mapTexts(value, mask.hide) as Value;
      return {
        type: 'request',
        index,
        ...(last && { extends: last.index, keep }),
        ...(settingsText !== last?.settings && { settings: hide(settings) }),
        messages: hide(messages.slice(keep).map(({ role, content }) => ({ role, content }))),
      };
    },
  };
}

function sharedLength(before: readonly ApiMessage[], after: readonly ApiMessage[]): number {
  const end = after.findIndex((message, at) => message !== before[at]);
  return end < 0 ? after.length : end;
}

interface AnswerLog {
  add(events: readonly ModelEvent[]): void;
  end(): void;
}

/** Deltas wait for the end of their block: a secret that was streamed in parts is visible only in the whole text. */
function createAnswerLog(options: {
  index: number;
  mask: Mask;
  write: (lines: readonly RecordingLine[]) => void;
  now: () => number;
}): AnswerLog {
  const { index, mask, write, now } = options;
  const started = now();
  const openBlocks = new Set<unknown>();
  let waiting: RecordedEvent[] = [];
  let times: number[] = [];

  function flush(): void {
    if (waiting.length === 0) return;
    const lines = hideEvents(waiting, mask).map(
      ({ type, ...fields }, at) => ({ type, index, atMs: times[at], ...fields }) as RecordingLine,
    );
    write(lines);
    waiting = [];
    times = [];
  }

  return {
    add(events) {
      const atMs = Math.round(now() - started);
      for (const event of events) {
        waiting.push(withoutRaw(event));
        times.push(atMs);
        noteBlocks(openBlocks, event);
        if (openBlocks.size === 0) flush();
      }
    },
    end: flush,
  };
}

function noteBlocks(open: Set<unknown>, modelEvent: ModelEvent): void {
  if (modelEvent.type !== 'event' || modelEvent.event.type === 'message_stop') open.clear();
  else if (modelEvent.event.type === 'content_block_start') open.add(modelEvent.event.index);
  else if (modelEvent.event.type === 'content_block_stop') open.delete(modelEvent.event.index);
}

function withoutRaw(event: ModelEvent): RecordedEvent {
  return event.type === 'event' ? { type: 'event', event: event.event } : event;
}
