import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../util/message-of.ts';
import { type Route, route } from '../http/route.ts';
import type { HomeSessions } from './home-sessions.ts';
import { holdersOf, shownHolder } from './listed-session.ts';
import type { SessionBook } from './session-book.ts';
import { HomeSession, RowsQuery } from './shapes.ts';

/** A stat costs microseconds; a page learns of a new entry within two of these. */
const PAUSE_MS = 100;
const HEARTBEAT_MS = 15_000;
const HOLDER_MS = 1000;
/** A page that does not read is let go; it asks again with the version it has. */
const MAX_WAITING_BYTES = 4_000_000;
const MAX_STREAMS = 64;

export interface LiveRoutesOptions {
  sessions: HomeSessions;
  now: () => number;
}

/** Streams of what is written to a session by any process. */
export function liveRoutes({ sessions, now }: LiveRoutesOptions): Route[] {
  let streams = 0;
  return [
    route({
      ...{ method: 'GET', scope: 'home:read', path: '/v1/home/sessions/{id}/live', params: HomeSession },
      query: RowsQuery,
      summary: 'A stream of the rows that are new, and of who writes to the session',
      answers: { 200: { description: 'Events: rows, holder, gone', type: 'text/event-stream' } },
      errors: ['session_not_found', 'quota_exceeded'],
      async handle({ params: { id }, query, headers, signal }) {
        const book = await sessions.open(id);
        const seen = Number(headers['last-event-id'] ?? query.since) || 0;
        return {
          stream(_request, response) {
            if (streams >= MAX_STREAMS) return void response.writeHead(429).end();
            streams++;
            response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
            const writer = { response, now, signal };
            follow(book, { since: seen, life: query.life, id, home: sessions.home }, writer)
              .catch((error) => send(response, 'gone', { reason: messageOf(error) }))
              .finally(() => {
                streams--;
                response.end();
              });
          },
        };
      },
    }),
  ];
}

interface Followed {
  since: number;
  life: number | undefined;
  id: string;
  home: string;
}

async function follow(
  book: SessionBook,
  { since, life, id, home }: Followed,
  { response, now, signal }: { response: ServerResponse; now: () => number; signal: AbortSignal },
): Promise<void> {
  let [seen, holder] = [since, ''];
  let [heardAt, holderAt] = [now(), Number.NEGATIVE_INFINITY];
  response.flushHeaders();
  for (; !signal.aborted && !response.destroyed; await sleep(PAUSE_MS, undefined, { signal }).catch(() => {})) {
    if (response.writableLength > MAX_WAITING_BYTES) return void response.destroy();
    await book.look();
    if (book.version > seen) {
      response.write(`id: ${book.version}\nevent: rows\ndata: ${book.textSince(seen, life)}\n\n`);
      seen = book.version;
      heardAt = now();
    }
    if (now() - holderAt >= HOLDER_MS) {
      holderAt = now();
      const current = JSON.stringify(shownHolder(holdersOf(home).get(id)));
      if (current !== holder) {
        send(response, 'holder', { holder: JSON.parse(current) });
        holder = current;
      }
    }
    if (now() - heardAt >= HEARTBEAT_MS) {
      response.write(': still here\n\n');
      heardAt = now();
    }
  }
}

function send(response: ServerResponse, event: string, data: object): void {
  response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
}
