import type { JsonObject } from '../../util/json.ts';
import { startTimer } from '../../util/timer.ts';
import type { EventLog } from '../ports/event-log.ts';
import type { Inbox } from '../ports/inbox.ts';
import type { Turns } from '../ports/turns.ts';

/** A turn may end a moment after its result line. */
const LOOK_MS = 250;
const MOST_SECONDS = 600;
const LATEST_TURNS = 20;

/** The result of the turn that answers a message; null: not within this time, or the client is gone. */
export async function waitForAnswer(
  sessionId: string,
  uuid: string,
  options: { inbox: Inbox; turns: Turns; events: EventLog; seconds: number; signal: AbortSignal },
): Promise<JsonObject | null> {
  const { inbox, turns, events, seconds, signal } = options;
  const isOpen = async () => {
    const state = (await inbox.get(sessionId, uuid))?.state;
    return state === 'waiting' || state === 'taken';
  };
  let isLate = false;
  let wake = () => {};
  const late = startTimer(Math.min(seconds, MOST_SECONDS) * 1000, () => {
    isLate = true;
    wake();
  });
  const stop = events.subscribe(sessionId, {
    onLines: (lines) => {
      if (lines.some(({ type }) => type === 'result')) wake();
    },
  });
  signal.addEventListener('abort', () => wake(), { once: true });
  try {
    while (!isLate && !signal.aborted && (await isOpen())) {
      await new Promise<void>((resolve) => {
        const look = startTimer(LOOK_MS, resolve);
        wake = () => {
          clearTimeout(look);
          resolve();
        };
      });
    }
  } finally {
    clearTimeout(late);
    stop();
  }
  const latest = await turns.list(sessionId, { limit: LATEST_TURNS });
  return latest.find(({ messages }) => messages.includes(uuid))?.result ?? null;
}
