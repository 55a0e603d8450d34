import type { ServerResponse } from 'node:http';
import { type JsonObject, stringField } from '../../util/json.ts';
import { startTimer } from '../../util/timer.ts';
import { toHeddleError } from '../../wire/errors.ts';
import { errorBody } from '../http/statuses.ts';
import type { EventLog } from '../ports/event-log.ts';
import { LineFeed } from './line-feed.ts';
import type { StreamSlot } from './open-streams.ts';

export interface StreamOptions {
  events: EventLog;
  sessionId: string;
  after: number;
  hello: JsonObject;
  /** Null: all types. */
  types: ReadonlySet<string> | null;
  isWithDeltas: boolean;
  slot: StreamSlot;
}

/** So much may wait for a client before lines come from the log again. */
const MOST_WAITING = 256 * 1024;
const KEEP_ALIVE_MS = 15_000;
/** A client that reads nothing for so long is cut off. */
const STALLED_MS = 60_000;
const RETRY_MS = 1000;

/** Writes the lines of a session as server-sent events, until the client or the server ends it. */
export function streamEvents(response: ServerResponse, options: StreamOptions): void {
  const { events, sessionId, after, hello, types, isWithDeltas, slot } = options;
  response.writeHead(200, { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no', connection: 'keep-alive' });
  const write = (text: string) => {
    response.write(text);
    return response.writableLength < MOST_WAITING;
  };
  const isWanted = (type: string) => types === null || types.has(type);
  const feed = new LineFeed(
    { events, sessionId, after },
    {
      line: ({ seq, type, text }) =>
        write(isWanted(type) ? `id: ${seq}\nevent: ${type}\ndata: ${text}\n\n` : `id: ${seq}\n\n`),
      preview(line) {
        const type = stringField(line, 'type') ?? '';
        const isShown = isWanted(type) && (isWithDeltas || type !== 'stream_event');
        return isShown ? write(`event: ${type}\ndata: ${JSON.stringify(line)}\n\n`) : true;
      },
      room: () => drained(response),
      broken(error) {
        write(`event: error\ndata: ${JSON.stringify(errorBody(toHeddleError(error), ''))}\n\n`);
        response.end();
      },
    },
  );
  const beat = setInterval(() => write(': still here\n\n'), KEEP_ALIVE_MS);
  const end = () => {
    clearInterval(beat);
    feed.stop();
    slot.leave();
  };
  response.once('close', end);
  response.once('error', end);
  slot.onEnd(() => {
    end();
    response.end(`event: draining\ndata: {"after":${feed.cursor}}\n\n`);
  });
  write(`retry: ${RETRY_MS}\nevent: hello\ndata: ${JSON.stringify({ ...hello, after })}\n\n`);
  feed.start();
}

/** Rejects when the client is gone, or stands still. */
function drained(response: ServerResponse): Promise<void> {
  if (response.writableLength < MOST_WAITING && !response.destroyed) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const stalled = startTimer(STALLED_MS, () => response.destroy());
    const done = () => {
      clearTimeout(stalled);
      response.off('drain', onDrain);
      response.off('close', onClose);
    };
    const onDrain = () => {
      done();
      resolve();
    };
    const onClose = () => {
      done();
      reject(new Error('The client is gone'));
    };
    response.on('drain', onDrain);
    response.on('close', onClose);
    if (response.destroyed) onClose();
  });
}
